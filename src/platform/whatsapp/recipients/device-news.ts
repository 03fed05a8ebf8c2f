import { type BinaryNode, getBinaryNodeChild } from 'baileys'
import { isPerson, withoutDevice } from '../../../domain/jid.ts'

/** What a notification says about devices. */
export interface DeviceNews {
  /** Whose devices they are, by each name that is told. */
  readonly people: readonly string[]
  /** The phone itself is another one: what was agreed with the old one is worth nothing. */
  readonly isNewPhone: boolean
}

/** `own` are the names of the number itself. */
export function deviceNewsIn(stanza: BinaryNode, own: readonly string[]): DeviceNews | undefined {
  const { type, from, lid } = stanza.attrs
  if (type === 'account_sync')
    return getBinaryNodeChild(stanza, 'devices') ? { people: own, isNewPhone: false } : undefined
  const people = [from, lid].flatMap(jid => (jid !== undefined && isPerson(jid) ? [withoutDevice(jid)] : []))
  if (people.length === 0) return undefined
  if (type === 'devices') return { people, isNewPhone: false }
  const isNewPhone = type === 'encrypt' && getBinaryNodeChild(stanza, 'identity') !== undefined
  return isNewPhone ? { people, isNewPhone } : undefined
}
