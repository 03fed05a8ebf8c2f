import { hash } from 'node:crypto'

/**
 * The same for two JSON bodies that mean the same: the order of fields and white space do not count. It is never kept as
 * it is: whoever guesses a short text could tell by it whether the guess is right.
 */
export function fingerprint(body: unknown): Buffer {
  return Buffer.from(hash('sha256', canonical(body), 'hex'), 'hex')
}

/** What is kept of a fingerprint: for each secret key of its time the key's mark, and a code that needs the key. */
export const MARK_BYTES = 4
const CODE_BYTES = 32
const ENTRY_BYTES = MARK_BYTES + CODE_BYTES

/**
 * Whether two kept fingerprints are of the same body, by a key that both know. Where they have none in common the older
 * key is gone for good, and the one that repeats a request is believed: a message is never sent twice for it.
 */
export function isSamePrint(a: Uint8Array, b: Uint8Array): boolean {
  if (Buffer.from(a).equals(b)) return true
  const codes = codesOf(b)
  const common = [...codesOf(a)].filter(([mark]) => codes.has(mark))
  return common.every(([mark, code]) => codes.get(mark) === code)
}

function codesOf(print: Uint8Array): Map<string, string> {
  const hex = Buffer.from(print).toString('hex')
  const entries = hex.match(new RegExp(`.{${ENTRY_BYTES * 2}}`, 'g')) ?? []
  return new Map(entries.map(entry => [entry.slice(0, MARK_BYTES * 2), entry.slice(MARK_BYTES * 2)]))
}

/** JSON with the fields of every object in the order of their names. */
function canonical(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  const fields = value as Record<string, unknown>
  let text = ''
  for (const name of Object.keys(fields).sort()) {
    text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${canonical(fields[name])}`
  }
  return `{${text}}`
}
