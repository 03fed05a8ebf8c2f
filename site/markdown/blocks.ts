/** What a page of Markdown is made of, as far as the pages here use it. */
export type Block =
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'code'; language: string; info: string; text: string }
  | { kind: 'table'; head: string[]; rows: string[][] }
  | { kind: 'list'; ordered: boolean; items: Block[][] }
  | { kind: 'quote'; blocks: Block[] }
  | { kind: 'rule' }
  | { kind: 'directive'; name: string; argument: string }
  | { kind: 'paragraph'; text: string }

const FENCE = /^(?<ticks>`{3,})\s*(?<language>\S*)\s*(?<info>.*)$/
const HEADING = /^(#{1,6})\s+(.*?)\s*#*$/
const ITEM = /^(?<marker>[-*+]|\d+[.)])(?<gap>\s+)(?<rest>.*)$/
const DIRECTIVE = /^<!--\s*(?<name>[a-z-]+):\s*(?<argument>.*?)\s*-->$/
const TABLE_RULE = /^\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?$/

/** Reads lines one after the other; every block takes what belongs to it. */
class Lines {
  readonly #lines: string[]
  #at = 0
  constructor(lines: string[]) {
    this.#lines = lines
  }
  get current(): string | undefined {
    return this.#lines[this.#at]
  }
  get next(): string | undefined {
    return this.#lines[this.#at + 1]
  }
  take(): string {
    return this.#lines[this.#at++]!
  }
  /** As long as the lines are such. */
  takeWhile(isSuch: (line: string) => boolean): string[] {
    const taken: string[] = []
    while (this.current !== undefined && isSuch(this.current)) taken.push(this.take())
    return taken
  }
}

export function readBlocks(markdown: string): Block[] {
  return blocksOf(new Lines(markdown.replace(/\r\n/g, '\n').split('\n')))
}

function blocksOf(lines: Lines): Block[] {
  const blocks: Block[] = []
  for (let line = lines.current; line !== undefined; line = lines.current) {
    if (line.trim() === '') lines.take()
    else blocks.push(blockAt(line, lines))
  }
  return blocks
}

function blockAt(line: string, lines: Lines): Block {
  const fence = FENCE.exec(line)
  if (fence !== null) return codeBlock(fence.groups!, lines)
  const heading = HEADING.exec(line)
  if (heading !== null) {
    lines.take()
    return { kind: 'heading', level: heading[1]!.length, text: heading[2]! }
  }
  const directive = DIRECTIVE.exec(line.trim())
  if (directive !== null) {
    lines.take()
    return { kind: 'directive', name: directive.groups!['name']!, argument: directive.groups!['argument']! }
  }
  if (/^(-{3,}|\*{3,}|_{3,})\s*$/.test(line)) {
    lines.take()
    return { kind: 'rule' }
  }
  if (line.startsWith('>')) return quote(lines)
  if (isTable(line, lines.next)) return table(lines)
  if (ITEM.test(line)) return list(lines)
  return paragraph(lines)
}

function codeBlock({ ticks, language, info }: Record<string, string | undefined>, lines: Lines): Block {
  lines.take()
  const inside = lines.takeWhile(line => !(line.trim().startsWith(ticks!) && line.trim() === ticks))
  if (lines.current === undefined) throw new Error(`a code block has no end: ${inside[0] ?? ''}`)
  lines.take()
  return { kind: 'code', language: language!, info: info!, text: inside.join('\n') }
}

const quote = (lines: Lines): Block => ({
  kind: 'quote',
  blocks: blocksOf(new Lines(lines.takeWhile(line => line.startsWith('>')).map(line => line.replace(/^> ?/, '')))),
})

const isTable = (line: string, next: string | undefined): boolean =>
  line.trim().startsWith('|') && next !== undefined && TABLE_RULE.test(next.trim())

function table(lines: Lines): Block {
  const [head, , ...rows] = lines.takeWhile(line => line.trim().startsWith('|')).map(cellsOf)
  return { kind: 'table', head: head!, rows }
}

/** Cells of a row; a bar behind a backslash, or within code, is none of its borders. */
function cellsOf(row: string): string[] {
  const inner = row
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
  return inner.split(/(?<!\\)\|(?=(?:[^`]*`[^`]*`)*[^`]*$)/).map(cell => cell.trim().replace(/\\\|/g, '|'))
}

function list(lines: Lines): Block {
  const ordered = /^\d/.test(lines.current!)
  const items: Block[][] = []
  for (let match = itemAt(lines, ordered); match !== null; match = itemAt(lines, ordered)) {
    const { marker, gap, rest } = match.groups as { marker: string; gap: string; rest: string }
    const width = marker.length + Math.min(gap.length, 4)
    lines.take()
    items.push(blocksOf(new Lines([rest, ...restOfItem(lines, width)])))
  }
  return { kind: 'list', ordered, items }
}

function itemAt(lines: Lines, ordered: boolean): RegExpExecArray | null {
  const match = ITEM.exec(lines.current ?? '')
  return match !== null && /^\d/.test(match[0]) === ordered ? match : null
}

/** Lines further in belong to the item; so do those that go on with its paragraph without being anything themselves. */
function restOfItem(lines: Lines, width: number): string[] {
  const indented = new RegExp(`^ {${width}}`)
  const taken: string[] = []
  for (let line = lines.current; line !== undefined; line = lines.current) {
    const blank = line.trim() === ''
    if (blank && !/^ {2}/.test(lines.next ?? '')) {
      // The items may stand apart.
      if (ITEM.test(lines.next ?? '')) lines.take()
      break
    }
    if (!blank && !/^ {2}/.test(line) && (ITEM.test(line) || beginsSomething(line))) break
    taken.push(
      lines
        .take()
        .replace(indented, '')
        .replace(/^ {2,}(?=\S)/, part => (part.length < width ? '' : part)),
    )
  }
  return taken
}

const beginsSomething = (line: string): boolean =>
  FENCE.test(line) || HEADING.test(line) || line.startsWith('>') || line.startsWith('|') || DIRECTIVE.test(line)

function paragraph(lines: Lines): Block {
  const first = lines.take()
  const rest = lines.takeWhile(line => line.trim() !== '' && !beginsSomething(line) && !ITEM.test(line))
  return { kind: 'paragraph', text: [first, ...rest].map(line => line.trim()).join('\n') }
}
