/** Each number writes to contacts of its own, in turn: more of them than are written to at once. */
export const CONTACTS = 32

export const contactOf = (number, message) =>
  `1555${String(number).padStart(3, '0')}${String(message % CONTACTS).padStart(2, '0')}11`

/** Numbers of the sandbox, told apart by their first digit. */
export const sandboxNumbers = (first, count) => Array.from({ length: count }, (_, i) => `999${first}${100_000 + i}`)
