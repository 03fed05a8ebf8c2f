import { all } from './elements.ts'

/** Closes the menu of small screens on a click outside or Escape. */
export function closeDrawer(): void {
  const drawer = document.querySelector<HTMLDetailsElement>('details.drawer')!
  document.addEventListener('click', event => {
    if (drawer.open && event.target instanceof Node && !drawer.contains(event.target)) drawer.open = false
  })
  document.addEventListener('keydown', event => {
    if (event.key !== 'Escape' || !drawer.open) return
    drawer.open = false
    drawer.querySelector('summary')!.focus()
  })
}

/** Scrolls the menu to the current page, without scrolling the page itself. */
export function showCurrentPage(): void {
  const menu = document.querySelector('nav.menu')
  const current = menu?.querySelector('[aria-current]')
  if (!menu || !current) return
  const place = current.getBoundingClientRect().top - menu.getBoundingClientRect().top
  menu.scrollTop += place - menu.clientHeight / 2
}

/** Marks the current heading in the list of headings. */
export function followHeadings(): void {
  const links = new Map(
    all<HTMLAnchorElement>('nav.contents a').map(link => [decodeURIComponent(link.hash.slice(1)), link]),
  )
  if (links.size === 0) return
  const watcher = new IntersectionObserver(
    entries => {
      const seen = entries.find(({ isIntersecting }) => isIntersecting)
      if (seen === undefined) return
      for (const [id, link] of links) link.toggleAttribute('data-here', id === seen.target.id)
    },
    { rootMargin: '-64px 0px -70% 0px' },
  )
  for (const id of links.keys()) {
    const heading = document.getElementById(id)
    if (heading !== null) watcher.observe(heading)
  }
}
