/** An entry of the search index: page, heading, address and text; search-index.ts writes it. */
export type Found = [page: string, heading: string, address: string, words: string]

interface Ranked {
  entry: Found
  score: number
}

const MOST = 12

/** The entries that contain every word, matches in titles first. */
export function ranked(entries: readonly Found[], query: string): Found[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter(word => word !== '')
  if (words.length === 0) return []
  const found: Ranked[] = []
  for (const entry of entries) {
    const score = scoreOf(entry, words)
    if (score > 0) found.push({ entry, score })
  }
  return found
    .sort((a, b) => b.score - a.score)
    .slice(0, MOST)
    .map(({ entry }) => entry)
}

/** A match in a title weighs more than all matches in the text. */
const WEIGHTS = { page: 100, heading: 30, pageOfHeading: 5, text: 1 }

function scoreOf([page, heading, address, text]: Found, words: string[]): number {
  const [title, name, rest] = [page.toLowerCase(), heading.toLowerCase(), text.toLowerCase()]
  const titleWeight = heading === '' ? WEIGHTS.page : WEIGHTS.pageOfHeading
  let score = 0
  for (const word of words) {
    const own =
      placed(name, word) * WEIGHTS.heading + placed(title, word) * titleWeight + placed(rest, word) * WEIGHTS.text
    if (own === 0) return 0
    score += own
  }
  return score + (isCalled(name, words) || isCalled(title, words) ? WEIGHTS.page : 0) + (isGuide(address) ? 1 : 0)
}

const isCalled = (name: string, words: string[]): boolean => name.replace(/^the /, '') === words.join(' ')

/** Guides come first: readers who need the reference know where it is. */
const isGuide = (address: string): boolean => !address.startsWith('/docs/reference/')

/** 3 if a word matches by stem, 2 if one begins with it, 1 if it occurs anywhere, else 0. */
function placed(text: string, word: string): number {
  const stem = stemOf(word)
  if (text.split(/[^\p{L}\p{N}]+/u).some(each => stemOf(each) === stem)) return 3
  if (!text.includes(word)) return 0
  return new RegExp(`(^|[^\\p{L}\\p{N}])${escaped(word)}`, 'u').test(text) ? 2 : 1
}

/** English word endings and their replacements; the first match that leaves enough of the word applies. */
const ENDINGS: ReadonlyArray<[ending: RegExp, instead: string]> = [
  [/(?<=..)(ies|ied)$/, 'y'],
  [/(?<=...)ing$/, ''],
  [/(?<=..(s|x|z|ch|sh))es$/, ''],
  [/(?<=..[^s])s$/, ''],
  [/(?<=...)ed$/, ''],
]

/** The common stem of a word's forms: retry, retries, retried, retrying. */
export function stemOf(word: string): string {
  for (const [ending, instead] of ENDINGS)
    if (ending.test(word)) return word.replace(ending, instead).replace(/(?<=...)e$/, '')
  return word.replace(/(?<=...)e$/, '')
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** The text around the first match. */
export function excerpt(text: string, query: string, room = 140): string {
  const first = query.toLowerCase().split(/\s+/)[0] ?? ''
  const at = Math.max(0, text.toLowerCase().indexOf(first) - 40)
  const from = at === 0 ? 0 : text.indexOf(' ', at) + 1
  return `${from > 0 ? '… ' : ''}${text.slice(from, from + room)}${from + room < text.length ? ' …' : ''}`
}
