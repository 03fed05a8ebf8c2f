import { createHmac, randomBytes } from 'node:crypto'
import type { Category } from './event.ts'

export interface Webhook {
  id: string
  accountId: string
  sessionId: string
  phone: string
  urls: Record<Category, string>
  active: boolean
  createdAt: number
}

export type UrlField = `${Category}_url`

export const fieldOf = (category: Category): UrlField => `${category}_url`

export const makeWebhookSecret = (): string => `whsec_${randomBytes(32).toString('base64url')}`

/** A secret for a key that is limited to these numbers: its holder cannot sign events of other numbers. */
export const secretOfNumbers = (secret: string, sessionIds: readonly string[]): string =>
  `whsec_${createHmac('sha256', secret)
    .update([...sessionIds].sort().join('\n'))
    .digest('base64url')}`
