import { getOwn } from '../runtime/get-own.ts'

/** This many consecutive bytes count as a repetition. */
export const RUN_BYTES = 8
const GRAM_BYTES = 4

/** Whether this content shares 8 or more consecutive bytes with the text of the search. */
export type RepeatSearch = (content: Buffer) => boolean

/** `undefined` if the text is too short to repeat anything. docs/decisions/0037 compares it with packages. */
export function searchRepeats(text: string): RepeatSearch | undefined {
  // What an escape stands for is no longer than the escape.
  if (Buffer.byteLength(text) < RUN_BYTES) return undefined
  const views = [text, unescaped(text)].map(view => Buffer.from(view))
  const index = indexOf(views)
  return content => sharesRun(content, index)
}

// Content and response that are made to collide must not block the process; past this limit the excerpt counts as a repetition.
const MAX_COMPARISONS = 100_000

interface RunIndex {
  readonly views: readonly Buffer[]
  /** The positions of each group of four bytes: view number and offset, by the group as a number. */
  readonly places: ReadonlyMap<number, readonly (readonly [number, number])[]>
  /** A filter before the map: whether any group has this hash. */
  readonly hashes: Uint8Array
  comparisons: number
}

function indexOf(views: readonly Buffer[]): RunIndex {
  const places = new Map<number, (readonly [number, number])[]>()
  const hashes = new Uint8Array(65_536)
  views.forEach((view, number) => {
    for (let at = 0; at + GRAM_BYTES <= view.length; at++) {
      const gram = gramAt(view, at)
      hashes[hashOf(gram)] = 1
      const known = places.get(gram)
      if (known) known.push([number, at])
      else places.set(gram, [[number, at]])
    }
  })
  return { views, places, hashes, comparisons: 0 }
}

// Every run of 8 bytes contains a whole group of 4 that begins at a multiple of 5, so four positions in five are skipped.
function sharesRun(content: Buffer, index: RunIndex): boolean {
  for (let at = 0; at + GRAM_BYTES <= content.length; at += RUN_BYTES - GRAM_BYTES + 1) {
    const gram = gramAt(content, at)
    const places = index.hashes[hashOf(gram)] === 1 ? index.places.get(gram) : undefined
    if (!places) continue
    index.comparisons += places.length
    if (index.comparisons > MAX_COMPARISONS) return true
    if (places.some(([view, offset]) => runLength(content, at, index.views[view] as Buffer, offset) >= RUN_BYTES)) {
      return true
    }
  }
  return false
}

function gramAt(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24)
}

function hashOf(gram: number): number {
  return Math.imul(gram, 0x9e3779b1) >>> 16
}

function runLength(content: Buffer, at: number, view: Buffer, offset: number): number {
  let before = 0
  while (before < at && before < offset && content[at - before - 1] === view[offset - before - 1]) before++
  let after = 0
  while (at + after < content.length && offset + after < view.length && content[at + after] === view[offset + after]) {
    after++
  }
  return before + after
}

const escapes: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }

// A receiver may repeat content as JSON, and the excerpt writes control characters as escapes.
function unescaped(text: string): string {
  return text.replace(/\\(?:u\{([0-9a-f]{1,6})\}|u([0-9a-f]{4})|(.))/gis, (whole, long, short, single: string) => {
    const code = Number.parseInt(long ?? short ?? '', 16)
    if (Number.isNaN(code)) return getOwn(escapes, single) ?? single
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}
