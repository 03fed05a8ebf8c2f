import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathOfTag } from './reference/document.ts'

/** The source of a page. */
export type Source = { markdown: string } | { reference: string } | { made: Made }

/** Pages generated from the program. */
export type Made = 'front' | 'errors' | 'command-line' | 'events'

export interface Entry {
  path: string
  /** The name in the menu; default: the page's title. */
  name: string
  source: Source
}

export interface Group {
  title: string
  entries: Entry[]
}

const page = (path: string, name: string, markdown: string): Entry => ({
  path: `/docs/${path}`,
  name,
  source: { markdown },
})
const made = (path: string, name: string, what: Made): Entry => ({ path, name, source: { made: what } })

const GROUPS: readonly Group[] = [
  {
    title: 'Start',
    entries: [
      made('/docs', 'Overview', 'front'),
      page('quick-start', 'Quick start', 'docs/guide/quick-start.md'),
      page('sandbox', 'The sandbox', 'docs/sandbox.md'),
      made('/docs/command-line', 'Command line', 'command-line'),
      page('sdk', 'Client for TypeScript', 'sdk/README.md'),
      page('python', 'Client for Python', 'sdk/python/README.md'),
    ],
  },
  {
    title: 'Guides',
    entries: [
      page('sending', 'Send messages', 'docs/guide/sending.md'),
      page('receiving', 'Receive events', 'docs/guide/receiving.md'),
      page('endpoints', 'Endpoints', 'docs/guide/endpoints.md'),
      page('chats', 'Chats', 'docs/guide/chats.md'),
      page('contacts', 'Contacts', 'docs/guide/contacts.md'),
      page('profile', 'Profile of a number', 'docs/guide/profile.md'),
      page('catalogue', 'Catalogue and orders', 'docs/guide/catalogue.md'),
      page('groups', 'Groups', 'docs/guide/groups.md'),
      page('channels', 'Channels', 'docs/guide/channels.md'),
      page('people', 'People', 'docs/guide/people.md'),
      page('health', 'Health of a number', 'docs/guide/health.md'),
      page('pace', 'Pace of a number', 'docs/guide/pace.md'),
      page('proxy', 'Proxy of a number', 'docs/guide/proxy.md'),
      page('verifying', 'Verify signatures', 'docs/guide/verifying.md'),
      page('retries', 'Retries and idempotency', 'docs/guide/retries.md'),
      made('/docs/errors', 'Errors and cures', 'errors'),
      page('limits', 'Limits', 'docs/guide/limits.md'),
      page('portal', 'The portal', 'docs/portal.md'),
      page('n8n', 'n8n', 'docs/n8n.md'),
      page('chatwoot', 'Chatwoot', 'docs/chatwoot.md'),
      page('moving', 'Moving to Postern', 'docs/moving.md'),
      page('comparison', 'Compared with others', 'docs/comparison.md'),
    ],
  },
  {
    title: 'Run it',
    entries: [
      page('deploy', 'Deploying', 'docs/deploy.md'),
      page('operations', 'Operations', 'docs/operations.md'),
      page('upgrading', 'Upgrading', 'docs/upgrading.md'),
      page('scale', 'Scale', 'docs/scale.md'),
      page('security', 'Security', 'docs/security.md'),
      page('field', 'Field notes', 'docs/field.md'),
    ],
  },
  {
    title: 'In depth',
    entries: [
      page('specification', 'Specification details', 'docs/specification.md'),
      page('conformance', 'Conformance', 'docs/conformance.md'),
      page('platform-vocabulary', 'What the platform can send', 'docs/platform-vocabulary.md'),
      page('architecture', 'Architecture', 'docs/architecture.md'),
      page('decisions', 'Decisions', 'docs/decisions/README.md'),
    ],
  },
]

/**
 * The menu: omits entries without a file, adds other files of `docs` to the group about operations,
 * and has a page for every tag of the reference.
 */
export function menuOf(root: string, tags: readonly string[]): Group[] {
  const named = GROUPS.flatMap(({ entries }) =>
    entries.map(({ source }) => ('markdown' in source ? source.markdown : '')),
  )
  const others = readdirSync(join(root, 'docs'))
    .filter(name => name.endsWith('.md') && !named.includes(`docs/${name}`))
    .map(name => page(name.replace(/\.md$/, ''), '', `docs/${name}`))
  const guides = GROUPS.map(({ title, entries }) => ({
    title,
    entries: [...entries, ...(title === 'Run it' ? others : [])].filter(
      ({ source }) => !('markdown' in source) || existsSync(join(root, source.markdown)),
    ),
  }))
  const reference = tags.map(tag => ({
    path: pathOfTag(tag),
    name: tag,
    source: tag === 'Events' ? { made: 'events' as const } : { reference: tag },
  }))
  return [...guides.slice(0, 2), { title: 'Reference', entries: reference }, ...guides.slice(2)]
}

/** Pages that are not in the menu: one for each decision. */
export const asides = (root: string): Entry[] =>
  readdirSync(join(root, 'docs/decisions'))
    .filter(name => /^\d.*\.md$/.test(name))
    .map(name => page(`decisions/${name.replace(/\.md$/, '')}`, '', `docs/decisions/${name}`))
