import type { GatewayEvent } from '#listener/event-reader'
import { getOwn } from '../runtime/get-own.ts'
import { paint, printable, toJson } from './terminal.ts'

const EXCERPT = 60

/** One line for people. Content is quoted and cannot control the terminal. */
export function lineOf(event: GatewayEvent): string {
  const payload = JSON.parse(event.body) as Record<string, unknown>
  const part = ['type', 'status', 'receipt_type', 'event', 'state']
    .map(name => field(payload, name))
    .find(value => value !== '')
  const who = ['chat_jid', 'sender_jid', 'recipient_jid', 'contact_jid', 'from_jid', 'caller_jid']
    .map(name => field(payload, name))
    .find(value => value !== '')
  const text = field(payload, 'text')
  const quoted = text === '' ? '' : toJson(text.length > EXCERPT ? `${text.slice(0, EXCERPT)}…` : text)
  const kind = `${event.kind}${part === undefined ? '' : `.${part}`}`
  return [
    paint('dim', event.created_at.slice(11, 23)),
    paint('bold', kind.padEnd(22)),
    printable(event.message_id),
    printable(who ?? event.session_id),
    printable(quoted),
  ]
    .join('  ')
    .trimEnd()
}

/** The same for a script, with additional fields. */
export function jsonLineOf({ body, ...facts }: GatewayEvent, more: object = {}): string {
  return toJson({ ...facts, payload: JSON.parse(body) as unknown, ...more })
}

const field = (payload: Record<string, unknown>, name: string): string => {
  const value = getOwn(payload, name)
  return typeof value === 'string' ? value : ''
}
