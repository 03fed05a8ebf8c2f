import { cutFile } from './event-bytes.ts'

/**
 * The words of an endpoint's `include`. Each asks for something that webhooks and listeners never get: a kind of event
 * with this name, events of another kind (`requires` of an event), or more fields of an event (its `extras`).
 */
export const INCLUDE_WORDS = [
  'own',
  'context',
  'group',
  'contact',
  'person',
  'chat',
  'health',
  'newsletter',
  'history',
] as const

/** `media` is not a word of customers: it stands for an endpoint with `media: url`. */
const ALL_WORDS = [...INCLUDE_WORDS, 'media'] as const
export type IncludeWord = (typeof ALL_WORDS)[number]

/**
 * Fields of an event by the word that asks for them. Their names are none of the event's own, except for the `media` of
 * its word, whose fields replace those of the event's `media`.
 */
export type Extras = Partial<Record<IncludeWord, object>>

/** What an event has for endpoints alone. */
export interface ForEndpoints {
  /** Only endpoints that include this word get the event. */
  requires?: IncludeWord
  /** Endpoints that include this word get the event too, whatever their kinds. */
  alsoFor?: IncludeWord
  /** Fields that follow the payload for endpoints that include their word. */
  extras?: Extras
}

/** The words of these extras, in the order in which their fields follow the payload. */
export const wordsOf = (extras: Extras): IncludeWord[] => ALL_WORDS.filter(word => extras[word] !== undefined)

/** The fields that an endpoint with these words gets. */
export const fieldsFor = (extras: Extras, include: readonly IncludeWord[]): Record<string, unknown> =>
  Object.assign({}, ...wordsOf(extras).map(word => (include.includes(word) ? extras[word] : {}))) as Record<
    string,
    unknown
  >

/** The payload with more fields at its end: its own bytes do not change, unless the file gives way to its id. */
export function appendFields(payload: Buffer, { media, ...fields }: Readonly<Record<string, unknown>>): Buffer {
  const own =
    media === undefined ? payload : Buffer.from(withMediaFields(cutFile(payload).rest.toString('utf8'), media))
  if (Object.keys(fields).length === 0) return own
  return Buffer.concat([own.subarray(0, -1), Buffer.from(`,${JSON.stringify(fields).slice(1)}`)])
}

/** The JSON of an event with these fields in its `media`, and without the file. */
function withMediaFields(json: string, media: unknown): string {
  const event = JSON.parse(json) as { media?: object }
  return JSON.stringify({ ...event, media: { ...event.media, ...(media as object), data: '' } })
}

/** The JSON of an event with the fields of a word, both as the history keeps them. */
export function joinRedacted(event: string, word: IncludeWord, fields: string): string {
  if (fields === '{}') return event
  if (word === 'media') return withMediaFields(event, (JSON.parse(fields) as { media: object }).media)
  return `${event.slice(0, -1)},${fields.slice(1)}`
}
