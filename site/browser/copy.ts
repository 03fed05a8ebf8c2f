import { all, element } from './elements.ts'

const SHOWN_MS = 1_500

/** Adds a button to each code block that copies its visible text. */
export function addCopyButtons(): void {
  for (const figure of all('figure.code')) {
    const button = element('button', { type: 'button', class: 'copy' }, 'Copy')
    const label = figure.querySelector('pre')?.getAttribute('aria-label') ?? 'code'
    button.setAttribute('aria-label', `Copy: ${label}`)
    button.addEventListener('click', () => void copy(figure, button))
    figure.append(button)
  }
}

async function copy(figure: HTMLElement, button: HTMLButtonElement): Promise<void> {
  const shown = all('pre', figure).find(each => each.offsetParent !== null)
  try {
    await navigator.clipboard.writeText(shown?.textContent ?? '')
    button.textContent = 'Copied'
  } catch {
    button.textContent = 'Select and copy'
  }
  setTimeout(() => (button.textContent = 'Copy'), SHOWN_MS)
}
