import { existsSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { codeFigure } from './code.ts'
import { wordsOf } from './html.ts'
import type { Page } from './layout.ts'
import { inline, type RenderOptions, renderMarkdown } from './markdown.ts'
import { type Payloads, shortened } from './reference/events.ts'
import { type RequestOf, sampleOf } from './samples/sample.ts'
import { TabGroups } from './tabs.ts'

interface GuideSources {
  root: string
  payloads: Payloads
  /** The address of each Markdown file on the site. */
  addresses: ReadonlyMap<string, string>
}

const SNIPPETS: readonly [name: string, file: string, grammar: string][] = [
  ['Node', 'verify.mjs', 'js'],
  ['Python', 'verify.py', 'python'],
  ['PHP', 'verify.php', 'php'],
  ['Go', 'verify.go', 'go'],
  ['bash', 'verify.sh', 'bash'],
]

/** A page from Markdown, with the directives that only the site supports. */
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
  // The first paragraph of a guide is its summary.
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

/** Translates a link in a file of the repository to one of the site; `null` if the target is not on the site. */
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

/** The signature check in each language, from the files that the portal shows and the tests run. */
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

/** Includes a section of another page. */
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

/** Reads a block ```request POST /v1/messages``` of a guide: headers, an empty line and a body, or one of the two. */
export function readRequest(info: string, text: string): RequestOf {
  const [method, path] = info.split(' ') as [string, string]
  const begin = text.trim().startsWith('{') ? 0 : text.indexOf('\n\n')
  const head = begin === -1 ? text : text.slice(0, begin)
  const body = begin === -1 ? '' : text.slice(begin).trim()
  const lines = head.split('\n').filter(line => line !== '')
  const headers = lines.map(line => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)])
  const request = { method, path, headers: Object.fromEntries(headers) as Record<string, string> }
  return body === '' ? request : { ...request, body: JSON.parse(body) as unknown }
}
