import { randomBytes } from 'node:crypto'

/** A message id in the form that phones use. */
export function createMessageId(): string {
  return `AC${randomBytes(15).toString('hex').toUpperCase()}`
}
