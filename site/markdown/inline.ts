import { escapeHtml } from '../html.ts'

/** Where a link of a page leads on the site; `null` where that is not on it, and the words alone remain. */
export type Resolve = (href: string) => string | null

const PIECES =
  /(?<ticks>`+)(?<code>[^]*?[^`])\k<ticks>(?!`)|\\(?<escaped>[\\`*_{}[\]()#+\-.!|<>])|!\[(?<alt>[^\]]*)\]\((?<image>[^)\s]+)\)|\[(?<words>(?:[^\][]|\[[^\]]*\])*)\]\((?<href>[^)\s]+)\)|\*\*(?<strong>[^]+?)\*\*|(?<![\w*])\*(?<em>[^*\s](?:[^*]*[^*\s])?)\*(?![\w*])|<(?<address>https?:[^>\s]+)>/gu

/** A line of Markdown as HTML. */
export function inline(text: string, resolve: Resolve): string {
  let html = ''
  let at = 0
  for (const match of text.matchAll(PIECES)) {
    html += escapeHtml(text.slice(at, match.index))
    html += piece(match.groups!, resolve)
    at = match.index + match[0].length
  }
  return html + escapeHtml(text.slice(at))
}

function piece(groups: Record<string, string | undefined>, resolve: Resolve): string {
  const { code, escaped, alt, image, words, href, strong, em, address } = groups
  if (code !== undefined) return `<code>${escapeHtml(code.replace(/^ (.*) $/, '$1').replace(/\n/g, ' '))}</code>`
  if (escaped !== undefined) return escapeHtml(escaped)
  if (image !== undefined) return picture(image, alt ?? '', resolve)
  if (href !== undefined) return link(href, inline(words ?? '', resolve), resolve)
  if (strong !== undefined) return `<strong>${inline(strong, resolve)}</strong>`
  if (em !== undefined) return `<em>${inline(em, resolve)}</em>`
  return link(address!, escapeHtml(address!), resolve)
}

function link(href: string, html: string, resolve: Resolve): string {
  const target = resolve(href)
  if (target === null) return html
  const outside = /^https?:/.test(target) ? ' rel="noreferrer"' : ''
  return `<a href="${escapeHtml(target)}"${outside}>${html}</a>`
}

function picture(source: string, alt: string, resolve: Resolve): string {
  const target = resolve(source)
  return target === null ? '' : `<img src="${escapeHtml(target)}" alt="${escapeHtml(alt)}" loading="lazy">`
}
