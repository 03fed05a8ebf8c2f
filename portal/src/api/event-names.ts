import { lookUp } from '../look-up.ts'
import type { Delivery } from './records.ts'

/** The field that distinguishes the events of one kind. */
const DETAIL: Partial<Record<string, string>> = {
  message: 'type',
  receipt: 'receipt_type',
  status: 'status',
  connection: 'event',
  call: 'event',
  newsletter_message: 'type',
}

const fieldOf = (payload: unknown, name: string): unknown => lookUp((payload ?? {}) as Record<string, unknown>, name)

/** The short name of an event, such as `receipt.read`. */
export function eventName({ kind, payload }: Pick<Delivery, 'kind' | 'payload'>): string {
  const detail = fieldOf(payload, lookUp(DETAIL, kind) ?? '')
  return typeof detail === 'string' && detail !== '' ? `${kind}.${detail}` : kind
}

/** Who an event is about: the chat, the recipient, the caller. */
export function otherSide({ payload }: Pick<Delivery, 'payload'>): string | undefined {
  const names = ['chat_jid', 'recipient_jid', 'to', 'from_jid', 'contact_jid', 'voter_jid', 'newsletter_jid']
  const found = names.map(name => fieldOf(payload, name)).find(value => typeof value === 'string' && value !== '')
  return found as string | undefined
}

/** The state of a message that the event reports. */
export const reportedState = ({ payload }: Pick<Delivery, 'payload'>): unknown =>
  fieldOf(payload, 'receipt_type') ?? fieldOf(payload, 'status')
