/** Digits as people write them, with or without a plus, spaces, dashes and brackets. */
const PHONE = /^\+?[\d\s()/.-]{3,}$/

/** Whether one of the texts contains the search term. A number is found in any notation. */
export function mentions(wanted: string, texts: readonly (string | null | undefined)[]): boolean {
  const words = wanted.toLowerCase()
  const digits = PHONE.test(wanted) ? wanted.replace(/\D/g, '') : ''
  return texts.some(text => {
    if (!text) return false
    return text.toLowerCase().includes(words) || (digits !== '' && text.replace(/[\s+()-]/g, '').includes(digits))
  })
}
