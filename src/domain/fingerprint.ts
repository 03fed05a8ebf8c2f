import { hash } from 'node:crypto'

/** The same for two JSON bodies that mean the same: the order of fields and white space do not count. */
export function fingerprint(body: unknown): Buffer {
  return hash('sha256', canonical(body), 'buffer')
}

function canonical(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`).join(',')}}`
}
