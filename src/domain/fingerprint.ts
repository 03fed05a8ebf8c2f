/**
 * A stored fingerprint has an entry for each secret key that was configured then: a mark that names the key, and a code of
 * the body that only this key can produce. A code without a key would confirm guesses of a short text.
 */
export const MARK_BYTES = 4
const CODE_BYTES = 32
const ENTRY_BYTES = MARK_BYTES + CODE_BYTES

/**
 * Whether two stored fingerprints are of the same body, by a key that both have. If they have no key in common the
 * older key was removed, and the repetition counts as the same request, so that no message is sent twice.
 */
export function isSamePrint(a: Uint8Array, b: Uint8Array): boolean {
  if (Buffer.from(a).equals(b)) return true
  const codes = codesOf(b)
  const common = [...codesOf(a)].filter(([mark]) => codes.has(mark))
  return common.every(([mark, code]) => codes.get(mark) === code)
}

/** The fingerprint of no text, under the same keys: it differs from every other one. */
export function withoutCodes(print: Uint8Array): Buffer {
  const emptied = Buffer.from(print)
  for (let at = 0; at < emptied.length; at += ENTRY_BYTES) emptied.fill(0, at + MARK_BYTES, at + ENTRY_BYTES)
  return emptied
}

function codesOf(print: Uint8Array): Map<string, string> {
  const hex = Buffer.from(print).toString('hex')
  const entries = hex.match(new RegExp(`.{${ENTRY_BYTES * 2}}`, 'g')) ?? []
  return new Map(entries.map(entry => [entry.slice(0, MARK_BYTES * 2), entry.slice(MARK_BYTES * 2)]))
}

/**
 * The same for two JSON bodies with the same meaning: JSON without white space, with the fields of every object in the
 * order of their names.
 */
export function canonical(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  const fields = value as Record<string, unknown>
  let text = ''
  for (const name of Object.keys(fields).sort()) {
    text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${canonical(fields[name])}`
  }
  return `{${text}}`
}
