/** The page, the heading in it, its address, and what it says: as search-index.ts writes it. */
export type Found = [page: string, heading: string, address: string, words: string]

interface Ranked {
  entry: Found
  score: number
}

const MOST = 12

/** The entries that have every word, those that are called so before those that only say so. */
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

function scoreOf([page, heading, , text]: Found, words: string[]): number {
  const [title, name, rest] = [page.toLowerCase(), heading.toLowerCase(), text.toLowerCase()]
  let score = 0
  for (const word of words) {
    const own = placed(name, word) * 6 + placed(title, word) * (heading === '' ? 8 : 2) + placed(rest, word)
    if (own === 0) return 0
    score += own
  }
  return score + (name === words.join(' ') || title === words.join(' ') ? 10 : 0)
}

/** 2 where a word begins so, 1 where it is somewhere, else 0. */
function placed(text: string, word: string): number {
  const at = text.indexOf(word)
  if (at === -1) return 0
  return at === 0 || new RegExp(`(^|[^\\p{L}\\p{N}])${escaped(word)}`, 'u').test(text) ? 2 : 1
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** The words around the first one that was looked for. */
export function excerpt(text: string, query: string, room = 140): string {
  const first = query.toLowerCase().split(/\s+/)[0] ?? ''
  const at = Math.max(0, text.toLowerCase().indexOf(first) - 40)
  const from = at === 0 ? 0 : text.indexOf(' ', at) + 1
  return `${from > 0 ? '… ' : ''}${text.slice(from, from + room)}${from + room < text.length ? ' …' : ''}`
}
