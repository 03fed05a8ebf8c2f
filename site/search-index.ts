import { wordsOf } from './html.ts'
import type { Page } from './layout.ts'

/** An entry of the search index: page, heading, address and text. */
export type Found = [page: string, heading: string, address: string, words: string]

const HEADING = /<(h[1-4]|article|li)\b[^>]*\bid="([^"]+)"[^>]*>/g
const MOST_WORDS = 1_200

/** An entry for every section of every page, with the text up to the next heading. */
export function searchIndex(pages: readonly Page[]): Found[] {
  return pages
    .filter(({ path }) => path !== '/docs')
    .flatMap(({ path, title, lead, html }) => {
      const text = html
        .replace(/<div class="panel" data-language="(?!curl)[^]*?<\/div>/g, '')
        .replace(/ data-operation="[^"]*"/g, '')
        // Omit the date and status of decisions, so that they do not match a search for "status".
        .replace(/<p>Date: \d{4}-[^]*?<\/p>/, '')
      const places = [...text.matchAll(HEADING)].filter(([, tag]) => tag !== 'li')
      const first = text.slice(0, places[0]?.index ?? text.length)
      const sections = places.map((place, index): Found => {
        const end = places[index + 1]?.index ?? text.length
        const inner = text.slice(place.index, end)
        const heading = /<h[1-4][^>]*>([^]*?)<\/h[1-4]>/.exec(inner)
        const rest = heading === null ? inner : inner.slice(heading.index + heading[0].length)
        return [title, wordsOf(heading?.[1] ?? ''), `${path}#${place[2]!}`, wordsOf(rest).slice(0, MOST_WORDS)]
      })
      return [
        [title, '', path, `${wordsOf(lead)} ${wordsOf(first)}`.slice(0, MOST_WORDS)] as Found,
        ...sections.filter(([, heading]) => heading !== ''),
      ]
    })
}
