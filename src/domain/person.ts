import { digitsOf, jidKind, phoneJid } from './jid.ts'

/** What showed that a hidden identifier and a phone number belong to one person. */
export const PERSON_SOURCES = ['message', 'receipt', 'group', 'history', 'lookup', 'number_change', 'pairing'] as const
export type PersonSource = (typeof PERSON_SOURCES)[number]

/** A hidden identifier and the phone number behind it, as digits. */
export interface NamePair {
  lid: string
  phone: string
}

/** What a device stores about a pair besides the names, by the hidden identifier. */
export interface PersonRecord {
  phone: string
  source: PersonSource
  atMs: number
}

/** The keys of a device that have the other name of a person, and what is known of the pair. */
export const NAMES_CATEGORY = 'lid-mapping'
export const PEOPLE_CATEGORY = 'postern-people'

/** The id of the key with the phone number behind a hidden identifier; the one of a number is the number. */
export const reverseNameId = (lid: string): string => `${lid}_reverse`

/** The id of the key with the other name of a person. */
export const otherNameId = (jid: string): string =>
  jidKind(jid) === 'lid' ? reverseNameId(digitsOf(jid)) : digitsOf(jid)

/** A person, as far as a number knows them: `null` for what it does not know. */
export interface Person {
  /** As the request named the person. */
  jid: string
  lid: string | null
  phone: string | null
  source: PersonSource | null
  knownAtMs: number | null
}

/**
 * The person behind a name. The pair counts only if each name leads to the other: a number that belongs to somebody else
 * by now still has the name of its former owner.
 */
export function personOf(
  jid: string,
  names: ReadonlyMap<string, string>,
  records: ReadonlyMap<string, PersonRecord>,
): Person {
  const isLid = jidKind(jid) === 'lid'
  const own = digitsOf(jid)
  const other = names.get(otherNameId(jid))
  const lid = isLid ? own : other
  const phone = isLid ? other : own
  const isPair =
    lid !== undefined && phone !== undefined && names.get(phone) === lid && names.get(reverseNameId(lid)) === phone
  if (!isPair)
    return {
      jid,
      lid: isLid ? jid : null,
      phone: isLid ? null : jid,
      source: null,
      knownAtMs: null,
    }
  const record = records.get(lid)
  const isOfPair = record?.phone === phone
  return {
    jid,
    lid: `${lid}@lid`,
    phone: phoneJid(phone),
    source: isOfPair ? record.source : null,
    knownAtMs: isOfPair ? record.atMs : null,
  }
}
