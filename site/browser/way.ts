import { all } from './elements.ts'

/** The menu of small screens closes when something else is pressed. */
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

/** The menu shows where the reader is; the page itself stays where it begins. */
export function showPlace(): void {
  const menu = document.querySelector('nav.menu')
  const current = menu?.querySelector('[aria-current]')
  if (!menu || !current) return
  const place = current.getBoundingClientRect().top - menu.getBoundingClientRect().top
  menu.scrollTop += place - menu.clientHeight / 2
}

/** The list of headings shows where the reader is. */
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
