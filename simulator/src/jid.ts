import { createHash } from 'node:crypto'
import { jidDecode, jidEncode } from 'baileys'

/** The domain of people named by number. */
export const SERVER = 's.whatsapp.net'
/** The server itself: a JID without a user, which the codec does not write like the bare domain. */
export const SERVER_JID = `@${SERVER}`
export const STATUS = 'status@broadcast'

/** How a stanza names people: by phone number or by hidden identifier. */
export type Addressing = 'pn' | 'lid'

/** One device of a person: 0 is the phone, others are linked. */
export interface DeviceAddress {
  readonly digits: string
  readonly device: number
}

export function numberJid(digits: string, device = 0): string {
  return jidEncode(digits, SERVER, device)
}

export function lidJid(lid: string, device = 0): string {
  return jidEncode(lid, 'lid', device)
}

/** The hidden identifier of a number: 15 digits that do not reveal it. */
export function lidOf(digits: string): string {
  const hash = createHash('sha256').update(`lid:${digits}`).digest()
  return `2${(hash.readBigUInt64BE() % 10n ** 14n).toString().padStart(14, '0')}`
}

export interface ParsedJid {
  readonly user: string
  readonly server: string
  /** Absent if the JID names the person rather than a device. */
  readonly device: number | undefined
}

export function parseJid(jid: string | undefined): ParsedJid | undefined {
  const decoded = jid === undefined ? undefined : jidDecode(jid)
  return decoded && { user: decoded.user, server: decoded.server, device: decoded.device }
}

export function isGroupJid(jid: string | undefined): boolean {
  return jid?.endsWith('@g.us') === true
}

export function isChannelJid(jid: string | undefined): boolean {
  return jid?.endsWith('@newsletter') === true
}

export function isBroadcastJid(jid: string | undefined): boolean {
  return jid?.endsWith('@broadcast') === true
}

/** The digits of a number however it is written: bare, with `+`, or as a JID. */
export function toDigits(number: string): string {
  return number.replace(/[:@].*$/, '').replace(/\D/g, '')
}
