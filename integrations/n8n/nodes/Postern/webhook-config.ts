/** A webhook config as the gateway shows it. */
export interface WebhookConfig {
  id: string
  session_id: string
  phone: string
  messages_url: string
  status_url: string
  connection_url: string
  events_url: string
  active: boolean
}

export type UrlField = 'messages_url' | 'status_url' | 'connection_url' | 'events_url'

/** Which of the four URLs each kind of event goes to. */
export const FIELD_OF_KIND: Record<string, UrlField> = {
  message: 'messages_url',
  receipt: 'status_url',
  status: 'status_url',
  connection: 'connection_url',
  poll_vote: 'events_url',
  typing: 'events_url',
  presence: 'events_url',
  call: 'events_url',
  newsletter_message: 'events_url',
}

const FIELDS: UrlField[] = ['messages_url', 'status_url', 'connection_url', 'events_url']

/** The URLs that send these kinds, and no others, to one address. */
export function urlsFor(kinds: readonly string[], url: string): Record<UrlField, string> {
  const wanted = new Set(kinds.map(kind => FIELD_OF_KIND[kind]))
  return Object.fromEntries(FIELDS.map(field => [field, wanted.has(field) ? url : ''])) as Record<UrlField, string>
}

/** The addresses of a config. */
export const urlsOf = (config: WebhookConfig): Record<UrlField, string> =>
  Object.fromEntries(FIELDS.map(field => [field, config[field]])) as Record<UrlField, string>

/** Whether a config has this address and no other: then it belongs to this workflow. */
export const leadsTo = (config: WebhookConfig, url: string): boolean => {
  const urls = FIELDS.map(field => config[field]).filter(each => each !== '')
  return urls.length > 0 && urls.every(each => each === url)
}

/** Whether a config sends exactly these kinds to this address. */
export const brings = (config: WebhookConfig, kinds: readonly string[], url: string): boolean => {
  const wanted = urlsFor(kinds, url)
  return config.active && FIELDS.every(field => config[field] === wanted[field])
}

/** A session id without its device number, which all ids of a number share. */
export const phoneOf = (sessionId: string): string => /^\d+/.exec(sessionId)?.[0] ?? sessionId
