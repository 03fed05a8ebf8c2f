import { existsSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { codeFigure } from './code.ts'
import { wordsOf } from './html.ts'
import type { Page } from './layout.ts'
import { inline, type RenderOptions, renderMarkdown } from './markdown.ts'
import { type Payloads, shortened } from './reference/events.ts'
import { readRequest } from './read-request.ts'
import { sampleOf } from './samples/sample.ts'
import { TabGroups } from './tabs.ts'

interface GuideSources {
  root: string
  payloads: Payloads
  /** Where each file of Markdown is on the site. */
  addresses: ReadonlyMap<string, string>
}

const SNIPPETS: readonly [name: string, file: string, grammar: string][] = [
  ['Node', 'verify.mjs', 'js'],
  ['Python', 'verify.py', 'python'],
  ['PHP', 'verify.php', 'php'],
  ['Go', 'verify.go', 'go'],
  ['bash', 'verify.sh', 'bash'],
]

/** A page of Markdown, with what only the site can show in it. */
export function guidePage(path: string, file: string, sources: GuideSources): Page {
  const markdown = readFileSync(join(sources.root, file), 'utf8')
  const tabs = new TabGroups()
  const options: RenderOptions = {
    resolve: href => resolveLink(href, file, sources),
    special: (language, info, text) =>
      language === 'request' ? tabs.request(sampleOf(readRequest(info, text)), info) : undefined,
    directive: (name, argument) => directive(name, argument, { ...sources, tabs, options }),
  }
  const { title, html, headings } = renderMarkdown(markdown, options)
  // The first paragraph of a guide says what it is for.
  const lead = file.startsWith('docs/guide/') ? /^<p>([^]*?)<\/p>\n?/.exec(html) : null
  return {
    path,
    title,
    lead: lead?.[1] ?? '',
    html: lead === null ? html : html.slice(lead[0].length),
    headings,
    wide: false,
  }
}

/** A link as it stands in a file of the repository, as one of the site; `null` where its target is not on it. */
function resolveLink(href: string, file: string, { root, addresses }: GuideSources): string | null {
  if (/^(https?:|mailto:|#|\/)/.test(href)) return href
  const [target, anchor] = href.split('#') as [string, string?]
  const found = posix.join(posix.dirname(file), target)
  const address = addresses.get(found)
  if (address !== undefined) return anchor === undefined ? address : `${address}#${anchor}`
  if (found.startsWith('docs/images/') && existsSync(join(root, found))) return `/${found}`
  return null
}

interface DirectiveParts extends GuideSources {
  tabs: TabGroups
  options: RenderOptions
}

function directive(name: string, argument: string, parts: DirectiveParts): string {
  if (name === 'payload') return payload(argument, parts.payloads)
  if (name === 'snippets') return snippets(parts)
  if (name === 'section') return section(argument, parts)
  if (name === 'note') return `<p class="note">${inline(argument, parts.options.resolve)}</p>`
  throw new Error(`there is no directive ${name}`)
}

function payload(name: string, payloads: Payloads): string {
  const found = payloads[name]
  if (found === undefined) throw new Error(`there is no payload ${name}: npm run payloads`)
  return codeFigure({ language: 'json', text: shortened(found), label: name })
}

/** The check of a signature in each language: the same files that the portal shows and the tests run. */
const snippets = ({ root, tabs }: DirectiveParts): string =>
  tabs.of(
    SNIPPETS.map(([name, file, grammar]) => ({
      id: name.toLowerCase(),
      name,
      grammar,
      text: readFileSync(join(root, 'portal/src/snippets', file), 'utf8'),
    })),
    'Verify a webhook',
  )

/** A section of another page, told once and shown twice. */
function section(argument: string, sources: DirectiveParts): string {
  const [file, anchor] = argument.split('#') as [string, string]
  const own = sources.addresses.get(file) ?? ''
  const rendered = renderMarkdown(readFileSync(join(sources.root, file), 'utf8'), {
    resolve: href => (href.startsWith('#') ? own + href : resolveLink(href, file, sources)),
  })
  const heading = rendered.headings.find(({ id }) => id === anchor)
  if (heading === undefined) throw new Error(`there is no section ${argument}`)
  const from = rendered.html.indexOf(`id="${anchor}"`)
  const inner = rendered.html.slice(rendered.html.indexOf('>', rendered.html.indexOf('</h', from)) + 1)
  const end = inner.search(new RegExp(`<h[1-${heading.level}] id=`))
  const text = end === -1 ? inner : inner.slice(0, end)
  if (wordsOf(text) === '') throw new Error(`the section ${argument} is empty`)
  return text
}
