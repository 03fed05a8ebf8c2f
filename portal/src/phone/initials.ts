/** The first letters of the first two words; of a number, its last two digits. */
export function initialsOf(name: string): string {
  if (/^\+?[\d ]+$/.test(name)) return name.slice(-2)
  const words = name.split(/\s+/).filter(word => /^[\p{L}\p{N}]/u.test(word))
  return words
    .slice(0, 2)
    .map(word => String.fromCodePoint(word.codePointAt(0)!).toUpperCase())
    .join('')
}
