import { element } from './elements.ts'
import { excerpt, type Found, ranked } from './ranking.ts'

let index: Promise<Found[]> | undefined

/** Loads the index at the first search; the browser caches it permanently. */
function loadIndex(): Promise<Found[]> {
  index ??= fetch(document.body.dataset['search']!).then(answer => answer.json() as Promise<Found[]>)
  return index
}

/** Adds the search dialog, which opens with the button, Ctrl K or /. */
export function offerSearch(): void {
  const button = document.querySelector<HTMLButtonElement>('[data-find]')!
  button.hidden = false
  const { dialog, input } = makeDialog()
  const open = (): void => {
    if (dialog.open) return
    dialog.showModal()
    input.select()
    void loadIndex()
  }
  button.addEventListener('click', open)
  document.addEventListener('keydown', event => {
    const typing = event.target instanceof Element && event.target.closest('input, textarea, select') !== null
    const wanted = (event.key === 'k' && (event.ctrlKey || event.metaKey)) || (event.key === '/' && !typing)
    if (!wanted) return
    event.preventDefault()
    open()
  })
}

function makeDialog(): { dialog: HTMLDialogElement; input: HTMLInputElement } {
  const input = element('input', {
    type: 'search',
    role: 'combobox',
    'aria-label': 'Search the documentation',
    'aria-controls': 'found',
    'aria-expanded': 'true',
    'aria-autocomplete': 'list',
    placeholder: 'Search guides, operations, events, errors',
    autocomplete: 'off',
    spellcheck: 'false',
  })
  const list = element('div', { id: 'found', role: 'listbox', 'aria-label': 'Found' })
  const status = element('p', { class: 'search-status', role: 'status' }, 'Type a word: a field, a code, a command.')
  const dialog = element('dialog', { class: 'search', 'aria-label': 'Search' }, input, status, list)
  document.body.append(dialog)
  dialog.addEventListener('click', event => {
    if (event.target === dialog) dialog.close()
  })
  input.addEventListener('input', () => void show(input, list, status))
  input.addEventListener('keydown', event => choose(event, input, list))
  return { dialog, input }
}

async function show(input: HTMLInputElement, list: HTMLElement, status: HTMLElement): Promise<void> {
  const query = input.value.trim()
  const entries = await loadIndex().catch(() => null)
  if (query !== input.value.trim()) return
  const found = entries === null ? [] : ranked(entries, query)
  list.replaceChildren(...found.map((entry, at) => option(entry, query, at)))
  input.removeAttribute('aria-activedescendant')
  if (found.length > 0) mark(input, list, 0)
  status.textContent =
    entries === null
      ? 'The search index cannot be loaded. Is the gateway still running?'
      : query === ''
        ? 'Type a word: a field, a code, a command.'
        : found.length === 0
          ? `No results for “${query}”.`
          : ''
}

function option([page, heading, address, text]: Found, query: string, at: number): HTMLElement {
  const name = heading === '' ? page : heading
  return element(
    'a',
    { role: 'option', id: `found-${at}`, href: address, tabindex: '-1', 'aria-selected': 'false' },
    element('strong', {}, name),
    element('span', { class: 'where' }, heading === '' ? '' : page),
    element('span', { class: 'excerpt' }, excerpt(text, query)),
  )
}

function mark(input: HTMLInputElement, list: HTMLElement, at: number): void {
  for (const [index, each] of [...list.children].entries()) {
    each.setAttribute('aria-selected', String(index === at))
    if (index !== at) continue
    each.scrollIntoView({ block: 'nearest' })
    input.setAttribute('aria-activedescendant', each.id)
  }
}

function choose(event: KeyboardEvent, input: HTMLInputElement, list: HTMLElement): void {
  const options = [...list.children] as HTMLAnchorElement[]
  const at = options.findIndex(each => each.getAttribute('aria-selected') === 'true')
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault()
    const next = at + (event.key === 'ArrowDown' ? 1 : -1)
    if (options.length > 0) mark(input, list, (next + options.length) % options.length)
  }
  if (event.key === 'Enter' && options[at] !== undefined) {
    event.preventDefault()
    input.closest('dialog')!.close()
    location.assign(options[at].href)
  }
}
