/**
 * The words of an endpoint's `include`. Each asks for something that webhooks and listeners never get: a kind of event
 * with this name, events of another kind (`requires` of an event), or more fields of an event (its `extras`).
 */
export const INCLUDE_WORDS = ['own', 'context', 'group', 'contact', 'person', 'health'] as const
export type IncludeWord = (typeof INCLUDE_WORDS)[number]

/** Fields of an event by the word that asks for them. Their names are none of the event's own. */
export type Extras = Partial<Record<IncludeWord, object>>

/** What an event has for endpoints alone. */
export interface ForEndpoints {
  /** Only endpoints that include this word get the event. */
  requires?: IncludeWord
  /** Fields that follow the payload for endpoints that include their word. */
  extras?: Extras
}

/** The words of these extras, in the order in which their fields follow the payload. */
export const wordsOf = (extras: Extras): IncludeWord[] => INCLUDE_WORDS.filter(word => extras[word] !== undefined)

/** The fields that an endpoint with these words gets. */
export const fieldsFor = (extras: Extras, include: readonly IncludeWord[]): Record<string, unknown> =>
  Object.assign({}, ...wordsOf(extras).map(word => (include.includes(word) ? extras[word] : {}))) as Record<
    string,
    unknown
  >

/** The payload with more fields at its end: its own bytes do not change. */
export function appendFields(payload: Buffer, fields: Readonly<Record<string, unknown>>): Buffer {
  if (Object.keys(fields).length === 0) return payload
  return Buffer.concat([payload.subarray(0, -1), Buffer.from(`,${JSON.stringify(fields).slice(1)}`)])
}
