import { randomBytes } from 'node:crypto'

/** An id as phones make them. */
export function createMessageId(): string {
  return `AC${randomBytes(15).toString('hex').toUpperCase()}`
}
