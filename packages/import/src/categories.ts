import type { TheirHook } from './their-number.ts'

/** The URL fields of a webhook here, one for each category. */
export const FIELDS = ['messages_url', 'status_url', 'connection_url', 'events_url'] as const
export type Field = (typeof FIELDS)[number]
export type EventTable = ReadonlyMap<string, Field>

/** Events of WAHA, by the field whose URL receives the same here. */
export const WAHA_EVENTS: EventTable = new Map<string, Field>([
  ['message', 'messages_url'],
  ['message.any', 'messages_url'],
  ['message.reaction', 'messages_url'],
  ['message.edited', 'messages_url'],
  ['message.revoked', 'messages_url'],
  ['message.ack', 'status_url'],
  ['message.ack.group', 'status_url'],
  ['session.status', 'connection_url'],
  ['state.change', 'connection_url'],
  ['poll.vote', 'events_url'],
  ['presence.update', 'events_url'],
  ['call.received', 'events_url'],
  ['call.accepted', 'events_url'],
  ['call.rejected', 'events_url'],
])

/** Events of Evolution API, in the same way. */
export const EVOLUTION_EVENTS: EventTable = new Map<string, Field>([
  ['MESSAGES_UPSERT', 'messages_url'],
  ['MESSAGES_EDITED', 'messages_url'],
  ['MESSAGES_DELETE', 'messages_url'],
  ['MESSAGES_UPDATE', 'status_url'],
  ['SEND_MESSAGE', 'status_url'],
  ['CONNECTION_UPDATE', 'connection_url'],
  ['PRESENCE_UPDATE', 'events_url'],
  ['CALL', 'events_url'],
])

/** The URL of each category, and what is left over: a number has one URL per category. */
export function urlsOf(
  hooks: TheirHook[],
  table: EventTable,
): { urls: Partial<Record<Field, string>>; left: string[] } {
  const urls = new Map<Field, string>()
  const left: string[] = []
  for (const { url, events } of hooks) {
    if (events.length === 0)
      left.push(`a webhook without a list of events: ${originOf(url)}. Set it here for the categories that it needs`)
    const isAll = events.includes('*')
    const unknown = events.filter(event => event !== '*' && table.get(event) === undefined)
    if (unknown.length > 0) left.push(`events that Postern does not have: ${unknown.join(', ')}`)
    const wanted = FIELDS.filter(field => isAll || events.some(event => table.get(event) === field))
    for (const field of wanted) {
      const taken = urls.get(field)
      if (taken === undefined) urls.set(field, url)
      else if (taken !== url)
        left.push(`a second URL for ${field}: ${originOf(url)}. One is posted to; let it pass events on`)
    }
  }
  return { urls: Object.fromEntries(urls), left: [...new Set(left)] }
}

/** The path and the query of a URL may hold a secret. */
const originOf = (url: string): string => (URL.canParse(url) ? `${new URL(url).origin}/…` : 'not a URL')
