import { all } from './elements.ts'

const KEY = 'postern.docs.language'

/** Shows the chosen language in all samples, also on other pages. */
export function followLanguage(): void {
  const show = (language: string): void => {
    for (const input of all<HTMLInputElement>('.tabs input')) if (input.value === language) input.checked = true
  }
  try {
    const kept = localStorage.getItem(KEY)
    if (kept !== null) show(kept)
  } catch {
    // Without storage the first language is shown.
  }
  document.addEventListener('change', event => {
    const input = event.target
    if (!(input instanceof HTMLInputElement) || input.closest('.tabs') === null) return
    const before = input.getBoundingClientRect().top
    show(input.value)
    // Samples above may change their height: keep this one at its place.
    scrollBy({ top: input.getBoundingClientRect().top - before, behavior: 'instant' })
    try {
      localStorage.setItem(KEY, input.value)
    } catch {
      // Without storage the choice applies only to this page.
    }
  })
}
