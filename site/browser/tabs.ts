import { all } from './elements.ts'

const KEY = 'postern.docs.language'

/** A language that was chosen once is shown everywhere, on other pages too. */
export function followLanguage(): void {
  const show = (language: string): void => {
    for (const input of all<HTMLInputElement>('.tabs input')) if (input.value === language) input.checked = true
  }
  try {
    const kept = localStorage.getItem(KEY)
    if (kept !== null) show(kept)
  } catch {
    // Where nothing may be stored, the first language is shown.
  }
  document.addEventListener('change', event => {
    const input = event.target
    if (!(input instanceof HTMLInputElement) || input.closest('.tabs') === null) return
    const before = input.getBoundingClientRect().top
    show(input.value)
    // What is above may have grown: the sample stays where it was.
    scrollBy({ top: input.getBoundingClientRect().top - before, behavior: 'instant' })
    try {
      localStorage.setItem(KEY, input.value)
    } catch {
      // It holds on this page.
    }
  })
}
