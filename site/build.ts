import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type * as Commands from '../src/cli/commands.ts'
import { bundleScript } from './bundle.ts'
import { commandLinePage } from './command-line-page.ts'
import { type ErrorParts, errorsPage } from './errors-page.ts'
import { Output } from './files.ts'
import { frontPage } from './front-page.ts'
import { type Page, renderPage, type Shell } from './layout.ts'
import { guidePage } from './guide-page.ts'
import { asides, type Entry, type Group, type Made, menuOf } from './navigation.ts'
import { type Document, operationsOf } from './reference/document.ts'
import { type Payloads, renderEvent } from './reference/events.ts'
import { renderOperation } from './reference/operation.ts'
import { searchIndex } from './search-index.ts'
import { TabGroups } from './tabs.ts'

const FONT = 'node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'

/** A module of the compiled gateway. */
type Load = (path: string) => Promise<unknown>

/** Everything that pages are made from. */
interface Sources {
  root: string
  load: Load
  document: Document
  payloads: Payloads
  addresses: ReadonlyMap<string, string>
}

/** Writes every page, the search index and what they need into dist/docs. */
export async function buildSite(root: string, load: Load): Promise<void> {
  const json = <T>(path: string): T => JSON.parse(readFileSync(join(root, path), 'utf8')) as T
  const document = json<Document>('openapi.json')
  const menu = menuOf(
    root,
    document.tags.map(({ name }) => name),
  )
  const entries = [...menu.flatMap(group => group.entries), ...asides(root)]
  const addresses = new Map(
    entries.flatMap(({ path, source }) => ('markdown' in source ? [[source.markdown, path] as const] : [])),
  )
  const sources: Sources = { root, load, document, payloads: json<Payloads>('site/payloads.json'), addresses }
  const pages: Page[] = []
  for (const entry of entries) pages.push(await pageOf(entry, sources))
  await write(root, nameEntries(menu, pages), pages, document.info.version)
}

/** In the menu a page without a name there goes by its title. */
const nameEntries = (menu: Group[], pages: Page[]): Group[] =>
  menu.map(({ title, entries }) => ({
    title,
    entries: entries.map(entry =>
      entry.name === '' ? { ...entry, name: pages.find(({ path }) => path === entry.path)!.title } : entry,
    ),
  }))

async function pageOf(entry: Entry, sources: Sources): Promise<Page> {
  const { source, path } = entry
  if ('markdown' in source) return guidePage(path, source.markdown, sources)
  if ('reference' in source) return referencePage(path, source.reference, sources.document)
  return { path, ...(await MADE[source.made](sources)) }
}

type Content = Omit<Page, 'path'>

const MADE: Record<Made, (sources: Sources) => Promise<Content>> = {
  front: async ({ document }) => ({
    title: 'Overview',
    lead: document.info.description,
    html: frontPage(document),
    headings: [],
    wide: true,
  }),
  errors: async ({ load }) => {
    const [codes, docs, response] = await Promise.all([
      load('domain/error-codes.js'),
      load('http/openapi/error-docs.js'),
      load('http/error-response.js'),
    ])
    const html = errorsPage(Object.assign({}, codes, docs, response) as ErrorParts)
    return { title: 'Errors', lead: 'Every code with its cure.', html, headings: [], wide: true }
  },
  'command-line': async ({ load }) => {
    const { GROUPS } = (await load('cli/commands.js')) as typeof Commands
    const lead = 'One program starts the gateway, watches it, and lets you develop against it.'
    return { title: 'Command line', lead, ...(await commandLinePage(GROUPS)), wide: false }
  },
  events: async ({ document, payloads }) => ({
    title: 'Events',
    lead: 'What the gateway posts to your webhook URLs, signed. Answer 2xx to take one; anything else is tried again.',
    html: Object.keys(document.webhooks)
      .map(kind => renderEvent(document, kind, payloads))
      .join('\n'),
    headings: [],
    wide: true,
  }),
}

function referencePage(path: string, tag: string, document: Document): Page {
  const tabs = new TabGroups()
  const operations = operationsOf(document).filter(({ tags }) => tags[0] === tag)
  return {
    path,
    title: tag,
    lead: document.tags.find(({ name }) => name === tag)!.description,
    html: operations.map(operation => renderOperation(document, operation, tabs)).join('\n'),
    headings: [],
    wide: true,
  }
}

const NOWHERE: Page = {
  path: '/docs/404',
  title: 'There is no such page',
  lead: 'It may have another name now: search, or begin at the <a href="/docs">overview</a>.',
  html: '',
  headings: [],
  wide: false,
}

async function write(root: string, menu: Group[], pages: Page[], version: string): Promise<void> {
  const script = await bundleScript(join(root, 'site/browser/main.ts'))
  const output = new Output(join(root, 'dist/docs'))
  const font = output.copy(join(root, FONT), 'assets/inter-5.3.0.woff2')
  const css = readFileSync(join(root, 'site/style.css'), 'utf8').replace('inter.woff2', font)
  const shell: Shell = {
    menu,
    version,
    font,
    style: output.asset('site.css', css),
    script: output.asset('site.js', script),
    searchIndex: output.asset('search.json', JSON.stringify(searchIndex(pages))),
  }
  // Pages that are not of this site have the same look under a name that stays.
  output.write('style.css', css)
  output.copy(join(root, 'docs/images'), 'images')
  for (const page of [...pages, NOWHERE]) {
    const name = page.path === '/docs' ? 'index' : page.path.slice('/docs/'.length)
    output.write(`${name}.html`, renderPage(page, shell))
  }
}
