import { GatewayError, invalid } from './errors.ts'

const PHONE_SUFFIX = 's.whatsapp.net'
export const STATUS_BROADCAST = 'status@broadcast'

export type JidKind = 'user' | 'lid' | 'group' | 'channel' | 'status'

const SHAPES: ReadonlyArray<[JidKind, RegExp]> = [
  ['user', /^\d{5,20}(?::\d{1,5})?@s\.whatsapp\.net$/],
  ['lid', /^\d{5,20}(?::\d{1,5})?@lid$/],
  ['group', /^\d{5,24}(?:-\d{5,20})?@g\.us$/],
  ['channel', /^\d{5,24}@newsletter$/],
  ['status', /^status@broadcast$/],
]

export function jidKind(jid: string): JidKind | undefined {
  return SHAPES.find(([, shape]) => shape.test(jid))?.[0]
}

/** Whether the JID is a contact's. */
export function isPerson(jid: string | undefined): boolean {
  return jid !== undefined && /^\d{1,20}(?::\d{1,5})?@(?:s\.whatsapp\.net|lid|hosted|hosted\.lid|bot|c\.us)$/.test(jid)
}

/** The same JID without its device number, the form that events carry. */
export function withoutDevice(jid: string): string {
  return jid.replace(/:\d+@/, '@')
}

/** The person whose device this is. Hosted devices have a server of their own in their names. */
export const ownerOf = (jid: string): string =>
  withoutDevice(jid)
    .replace(/@hosted\.lid$/, '@lid')
    .replace(/@(?:hosted|c\.us)$/, `@${PHONE_SUFFIX}`)

export const phoneJid = (digits: string): string => `${digits}@${PHONE_SUFFIX}`

/** The digits before the device number and the server. */
export function digitsOf(jid: string): string {
  return /^\d+/.exec(jid)?.[0] ?? ''
}

/** A recipient as customers write it: a JID, or a number with its country code and optional `+`, spaces and dashes. */
export function parseRecipient(field: string, value: string): string {
  if (value.includes('@')) {
    if (jidKind(value) === undefined)
      throw invalid(`${field} is not a JID of a contact, group, channel or status@broadcast`, field)
    return withoutDevice(value)
  }
  const digits = phoneDigits(field, value)
  if (digits === undefined) throw invalid(`${field} must be a JID or a number of 5 to 20 digits`, field)
  return phoneJid(digits)
}

/** The digits of a phone number as customers write it. */
export function parsePhone(field: string, value: string): string {
  const digits = phoneDigits(field, value)
  if (digits === undefined) throw invalid(`${field} must be a number of 5 to 20 digits`, field)
  return digits
}

/** A 0 in brackets after the country code is dialled only within the country: `+49 (0)171 …` is +49171…. */
const TRUNK_ZERO = /^(\+?[1-9]\d{0,2}[\s-]*)\(0\)/

/**
 * `undefined` if the text is not a number. Within a country numbers are dialled with a leading 0, from abroad with 00;
 * no country code begins with 0.
 */
function phoneDigits(field: string, value: string): string | undefined {
  const digits = value
    .replace(TRUNK_ZERO, '$1')
    .replace(/^\+/, '')
    .replace(/[\s\-()]/g, '')
  if (!/^\d{5,20}$/.test(digits)) return undefined
  if (!digits.startsWith('0')) return digits
  const message = `${field} must begin with a country code, not with 0: +49 171 1234567`
  throw new GatewayError('country_code_missing', message, { param: field })
}

/** A contact, never a group or a channel. */
export function parseContact(field: string, value: string): string {
  const jid = parseRecipient(field, value)
  const kind = jidKind(jid)
  if (kind !== 'user' && kind !== 'lid') throw invalid(`${field} must be a contact`, field)
  return jid
}

/** A session id as customers write it, with or without the device number; `undefined` if it has another form. */
export function parseSessionId(value: string): string | undefined {
  return jidKind(value) === 'user' ? withoutDevice(value) : undefined
}
