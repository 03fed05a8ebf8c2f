import { codeFigure } from '../code.ts'
import { escapeHtml, slugOf, wordsOf } from '../html.ts'
import { type Block, readBlocks } from './blocks.ts'
import { inline, type Resolve } from './inline.ts'

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

export interface RenderOptions {
  resolve: Resolve
  /** Code blocks that are more than code, by their language; `undefined` where it is nothing special. */
  special?(language: string, info: string, text: string): string | undefined
  /** What stands in the place of `<!-- name: argument -->`. */
  directive?(name: string, argument: string): string
}

/** A page of Markdown as HTML, without its title, and what its headings are called. */
export function renderMarkdown(markdown: string, options: RenderOptions): Rendered {
  const [first, ...rest] = readBlocks(markdown)
  if (first?.kind !== 'heading' || first.level !== 1) throw new Error('a page begins with its title')
  const writer = new Writer(options)
  const html = writer.all(rest)
  return { title: wordsOf(inline(first.text, options.resolve)), html, headings: writer.headings }
}

class Writer {
  readonly headings: Heading[] = []
  readonly #options: RenderOptions

  constructor(options: RenderOptions) {
    this.#options = options
  }

  all(blocks: Block[]): string {
    return blocks.map(block => this.#block(block)).join('\n')
  }

  #inline(text: string): string {
    return inline(text, this.#options.resolve)
  }

  #block(block: Block): string {
    switch (block.kind) {
      case 'heading':
        return this.#heading(block.level, block.text)
      case 'paragraph':
        return `<p>${this.#inline(block.text)}</p>`
      case 'code':
        return this.#code(block)
      case 'table':
        return this.#table(block.head, block.rows)
      case 'list':
        return this.#list(block.ordered, block.items)
      case 'quote':
        return `<blockquote>${this.all(block.blocks)}</blockquote>`
      case 'rule':
        return '<hr>'
      case 'directive':
        return this.#options.directive?.(block.name, block.argument) ?? ''
      default: {
        const never: never = block
        return never
      }
    }
  }

  #heading(level: number, text: string): string {
    const html = this.#inline(text)
    const plain = slugOf(wordsOf(html))
    const same = this.headings.filter(({ id }) => id === plain || id.startsWith(`${plain}-`)).length
    const id = same === 0 ? plain : `${plain}-${same}`
    this.headings.push({ level, id, html })
    return `<h${level} id="${escapeHtml(id)}"><a class="anchor" href="#${escapeHtml(id)}">${html.replace(/<\/?a\b[^>]*>/g, '')}</a></h${level}>`
  }

  #code({ language, info, text }: Extract<Block, { kind: 'code' }>): string {
    return this.#options.special?.(language, info, text) ?? codeFigure({ language, text, label: info })
  }

  #table(head: string[], rows: string[][]): string {
    const titled = head.some(cell => cell !== '')
    const top = titled
      ? `<thead><tr>${head.map(cell => (cell === '' ? '<td></td>' : `<th scope="col">${this.#inline(cell)}</th>`)).join('')}</tr></thead>`
      : ''
    const body = rows.map(row => `<tr>${row.map(cell => `<td>${this.#inline(cell)}</td>`).join('')}</tr>`).join('\n')
    const label = titled ? wordsOf(head.map(cell => this.#inline(cell)).join(' ')) : 'Table'
    return `<div class="scroll" tabindex="0" role="group" aria-label="${escapeHtml(label)}"><table>${top}<tbody>${body}</tbody></table></div>`
  }

  #list(ordered: boolean, items: Block[][]): string {
    const tag = ordered ? 'ol' : 'ul'
    const tight = items.every(blocks => blocks.filter(({ kind }) => kind === 'paragraph').length <= 1)
    const inner = items.map(blocks => {
      const html = this.all(blocks)
      return `<li>${tight ? html.replace(/^<p>([^]*?)<\/p>/, '$1') : html}</li>`
    })
    return `<${tag}>${inner.join('\n')}</${tag}>`
  }
}
