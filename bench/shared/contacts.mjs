/** Each number writes to separate contacts in turn: more than the number of messages in flight. */
export const CONTACTS = 32

export const contactOf = (number, message) =>
  `1555${String(number).padStart(3, '0')}${String(message % CONTACTS).padStart(2, '0')}11`

/** Numbers of the sandbox; benches differ in the first digit. */
export const sandboxNumbers = (first, count) => Array.from({ length: count }, (_, i) => `999${first}${100_000 + i}`)
