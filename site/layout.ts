import { escapeHtml, wordsOf } from './html.ts'
import type { Heading } from './markdown.ts'
import type { Group } from './navigation.ts'

export interface Page {
  path: string
  title: string
  /** A summary in one line. */
  lead: string
  html: string
  headings: Heading[]
  /** Whether the page has the full width, without a list of headings. */
  wide: boolean
}

export interface Shell {
  menu: Group[]
  version: string
  /** Addresses of the hashed files. */
  style: string
  script: string
  font: string
  searchIndex: string
}

/** Renders a page of the site, which is readable without scripts. */
export function renderPage(page: Page, shell: Shell): string {
  const about = page.path === '/docs' ? 'Postern documentation' : `${page.title} · Postern`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(about)}</title>
<meta name="description" content="${escapeHtml(wordsOf(page.lead))}">
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="preload" href="${shell.font}" as="font" type="font/woff2" crossorigin>
<link rel="stylesheet" href="${shell.style}">
<script src="/theme.js"></script>
<script type="module" src="${shell.script}"></script>
</head>
<body data-search="${shell.searchIndex}">
<a class="skip" href="#content">Skip to the content</a>
${header(shell)}
<div class="frame">
<nav class="menu" aria-label="Pages">${menu(page.path, shell.menu)}</nav>
<main id="content"${page.wide ? ' class="wide"' : ''}>
${page.path === '/docs' ? '' : `<header class="title"><h1>${escapeHtml(page.title)}</h1>${page.lead === '' ? '' : `<p class="lead">${page.lead}</p>`}</header>`}
${page.html}
${steps(page.path, shell.menu)}
</main>
${page.wide ? '' : contents(page.headings)}
</div>
</body>
</html>
`
}

const header = ({ version, menu: groups }: Shell): string => `<header class="top">
<details class="drawer"><summary aria-label="Menu"><svg viewBox="0 0 16 16" width="18" height="18" aria-hidden="true"><path d="M2 4h12M2 8h12M2 12h12" stroke="currentColor" stroke-width="1.5" stroke-linecap="round"/></svg></summary><nav aria-label="All pages">${menu('', groups)}</nav></details>
<a class="brand" href="/docs"><img src="/favicon.svg" alt="" width="24" height="24"> Postern <span>docs ${escapeHtml(version)}</span></a>
<button type="button" class="find" data-find hidden><svg viewBox="0 0 16 16" width="15" height="15" aria-hidden="true"><circle cx="7" cy="7" r="4.5" fill="none" stroke="currentColor" stroke-width="1.5"/><path d="M10.5 10.5 14 14" stroke="currentColor" stroke-width="1.5" stroke-linecap="round"/></svg><span>Search</span><kbd aria-hidden="true">Ctrl K</kbd></button>
<span class="push"></span>
<button type="button" class="icon" data-theme-switch hidden aria-label="Use the dark theme"><svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" stroke-width="1.5"/><path d="M8 2a6 6 0 0 1 0 12z" fill="currentColor"/></svg></button>
<a class="to-portal" href="/"><span>Open the </span>portal</a>
</header>`

const menu = (current: string, groups: Group[]): string =>
  groups
    .map(({ title, entries }) => {
      const items = entries.map(({ path, name }) => {
        const here = path === current ? ' aria-current="page"' : ''
        return `<li><a href="${path}"${here}>${escapeHtml(name)}</a></li>`
      })
      return `<p class="group">${escapeHtml(title)}</p><ul>${items.join('')}</ul>`
    })
    .join('')

function contents(headings: Heading[]): string {
  const shown = headings.filter(({ level }) => level === 2 || level === 3)
  if (shown.length < 2) return '<div class="contents"></div>'
  const items = shown.map(
    ({ level, id, html }) =>
      `<li class="l${level}"><a href="#${escapeHtml(id)}">${html.replace(/<\/?a\b[^>]*>/g, '')}</a></li>`,
  )
  return `<nav class="contents" aria-label="On this page"><p class="group">On this page</p><ul>${items.join('')}</ul></nav>`
}

/** Links to the previous and next page of the menu. */
function steps(path: string, groups: Group[]): string {
  const all = groups.flatMap(({ entries }) => entries)
  const at = all.findIndex(each => each.path === path)
  if (at === -1) return ''
  const link = (word: string, index: number): string => {
    const target = all[index]
    return target === undefined
      ? ''
      : `<a class="${word.toLowerCase()}" href="${target.path}"><span>${word}</span>${escapeHtml(target.name)}</a>`
  }
  return `<nav class="steps" aria-label="Previous and next page">${link('Previous', at - 1)}${link('Next', at + 1)}</nav>`
}
