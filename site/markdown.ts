import { getDefaults, Lexer, Parser, Renderer, type Token, Tokenizer, type Tokens } from 'marked'
import { codeFigure } from './code.ts'
import { escapeHtml, slugOf, wordsOf } from './html.ts'

export interface Heading {
  level: number
  id: string
  html: string
}

export interface Rendered {
  title: string
  html: string
  headings: Heading[]
}

/** Returns where a link leads on the site; `null` if its target is not on the site: then only its text is shown. */
export type Resolve = (href: string) => string | null

export interface RenderOptions {
  resolve: Resolve
  /** Renders code blocks whose language has a meaning on the site; `undefined` for all others. */
  special?(language: string, info: string, text: string): string | undefined
  /** Renders `<!-- name: argument -->`. */
  directive?(name: string, argument: string): string
}

/** Renders a page of Markdown as HTML. The title is returned separately. */
export function renderMarkdown(markdown: string, options: RenderOptions): Rendered {
  const [first, ...rest] = Lexer.lex(markdown, LEXER)
  if (!isHeading(first) || first.depth !== 1) throw new Error('a page begins with its title')
  const renderer = new PageRenderer(options)
  const html = Parser.parse(rest, { ...getDefaults(), renderer }).trimEnd()
  return { title: wordsOf(inline(first.text, options.resolve)), html, headings: renderer.headings }
}

/** Renders a line of Markdown as HTML. */
export const inline = (text: string, resolve: Resolve): string =>
  Parser.parseInline(Lexer.lexInline(text, LEXER), { ...getDefaults(), renderer: new PageRenderer({ resolve }) })

export interface CodeBlock {
  language: string
  /** The rest of the line that opens the block. */
  info: string
  text: string
}

/** Returns the code blocks of a page, without those inside of lists and quotes. */
export const codeBlocks = (markdown: string): CodeBlock[] => Lexer.lex(markdown, LEXER).filter(isCode).map(codeBlock)

/** Addresses in the text are not links: samples name addresses that only exist on the reader's machine. */
class PageTokenizer extends Tokenizer {
  override url(): undefined {
    return undefined
  }
}

const LEXER = { ...getDefaults(), gfm: true, tokenizer: new PageTokenizer() }
const DIRECTIVE = /^<!--\s*(?<name>[a-z-]+):\s*(?<argument>.*?)\s*-->$/

const isHeading = (token: Token | undefined): token is Tokens.Heading => token?.type === 'heading'
const isCode = (token: Token): token is Tokens.Code => token.type === 'code'

function codeBlock({ lang = '', raw, text }: Tokens.Code): CodeBlock {
  const fence = /^ {0,3}(`{3,}|~{3,})/.exec(raw)?.[1]
  if (fence !== undefined && !raw.trimEnd().endsWith(`\n${fence}`)) throw new Error(`a code block has no end: ${text}`)
  const [language, info] = /^(\S*)\s*(.*)$/.exec(lang)!.slice(1) as [string, string]
  return { language, info, text }
}

/** Differs from the usual output in headings, code, tables, links and HTML comments. */
class PageRenderer extends Renderer {
  readonly headings: Heading[] = []
  readonly #page: RenderOptions

  constructor(page: RenderOptions) {
    super()
    this.#page = page
  }

  /** Each heading links to itself, under the name that GitHub gives it. */
  override heading({ tokens, depth }: Tokens.Heading): string {
    const html = this.parser.parseInline(tokens)
    const plain = slugOf(wordsOf(html))
    const same = this.headings.filter(({ id }) => id === plain || id.startsWith(`${plain}-`)).length
    const id = same === 0 ? plain : `${plain}-${same}`
    this.headings.push({ level: depth, id, html })
    return `<h${depth} id="${escapeHtml(id)}"><a class="anchor" href="#${escapeHtml(id)}">${html.replace(/<\/?a\b[^>]*>/g, '')}</a></h${depth}>\n`
  }

  override code(token: Tokens.Code): string {
    const { language, info, text } = codeBlock(token)
    return `${this.#page.special?.(language, info, text) ?? codeFigure({ language, text, label: info })}\n`
  }

  /** Wide tables scroll inside of their frame, by keyboard too. */
  override table({ header, rows }: Tokens.Table): string {
    const head = header.map(cell => this.parser.parseInline(cell.tokens))
    const titled = head.some(cell => cell !== '')
    const titles = head.map(cell => (cell === '' ? '<td></td>' : `<th scope="col">${cell}</th>`))
    const top = titled ? `<thead><tr>${titles.join('')}</tr></thead>` : ''
    const body = rows.map(
      row => `<tr>${row.map(cell => `<td>${this.parser.parseInline(cell.tokens)}</td>`).join('')}</tr>`,
    )
    const label = titled ? wordsOf(head.join(' ')) : 'Table'
    return `<div class="scroll" tabindex="0" role="group" aria-label="${escapeHtml(label)}"><table>${top}<tbody>${body.join('\n')}</tbody></table></div>\n`
  }

  override link({ href, tokens }: Tokens.Link): string {
    const html = this.parser.parseInline(tokens)
    const target = this.#page.resolve(href)
    if (target === null) return html
    const outside = /^https?:/.test(target) ? ' rel="noreferrer"' : ''
    return `<a href="${escapeHtml(target)}"${outside}>${html}</a>`
  }

  override image({ href, text }: Tokens.Image): string {
    const target = this.#page.resolve(href)
    return target === null ? '' : `<img src="${escapeHtml(target)}" alt="${escapeHtml(text)}" loading="lazy">`
  }

  /** A comment may be a directive. All other HTML is shown as it is written: pages have none of their own. */
  override html({ text, block }: Tokens.HTML | Tokens.Tag): string {
    const directive = DIRECTIVE.exec(text.trim())
    if (directive === null || !block) return escapeHtml(text)
    const { name, argument } = directive.groups as { name: string; argument: string }
    return `${this.#page.directive?.(name, argument) ?? ''}\n`
  }
}
