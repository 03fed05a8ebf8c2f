import { createHash } from 'node:crypto'
import type { SignalKeyStore } from 'baileys'
import { phoneJid } from '../../../domain/jid.ts'
import {
  NAMES_CATEGORY,
  type NamePair,
  PEOPLE_CATEGORY,
  type PersonRecord,
  type PersonSource,
  reverseNameId,
} from '../../../domain/person.ts'
import { getOwn } from '../../../runtime/get-own.ts'
import type { InboxItem } from '../../platform.ts'

/** A pair that a device has learned, as it stores it: with the names that the pair replaces. */
export interface LearnedPair extends PersonRecord {
  previousPhone?: string
  previousLid?: string
}

/** Stores which names belong to one person, unless that is known. */
export async function rememberPairs(
  keys: Pick<SignalKeyStore, 'get' | 'set'>,
  pairs: readonly NamePair[],
  source: PersonSource,
  atMs: number,
): Promise<void> {
  const ids = pairs.flatMap(({ phone, lid }) => [phone, reverseNameId(lid)])
  const known = ids.length > 0 ? await keys.get(NAMES_CATEGORY, ids) : {}
  const people: Record<string, LearnedPair> = {}
  for (const { phone, lid } of pairs) {
    const previous = { phone: getOwn(known, reverseNameId(lid)), lid: getOwn(known, phone) }
    if (previous.phone === phone && previous.lid === lid) continue
    people[lid] = {
      phone,
      source,
      atMs,
      ...(previous.phone !== undefined && previous.phone !== phone && { previousPhone: previous.phone }),
      ...(previous.lid !== undefined && previous.lid !== lid && { previousLid: previous.lid }),
    }
  }
  if (Object.keys(people).length > 0) await storePairs(keys, people)
}

/** Stores the names in both directions, and what is known of each pair, by hidden identifier. */
export async function storePairs(
  keys: Pick<SignalKeyStore, 'set'>,
  people: Readonly<Record<string, LearnedPair>>,
): Promise<void> {
  const names: Record<string, string> = {}
  for (const [lid, { phone }] of Object.entries(people)) {
    names[phone] = lid
    names[reverseNameId(lid)] = phone
  }
  // The library's types have only its own categories.
  await (keys as { set(data: object): unknown }).set({ [NAMES_CATEGORY]: names, [PEOPLE_CATEGORY]: people })
}

/** Each item is one transaction, with an event for each of its people. */
const MAX_IN_ITEM = 100

/** Items that become events. They are durable together with the names, so that no crash loses or repeats one. */
export function learnedItems(people: Readonly<Record<string, LearnedPair>>): InboxItem[] {
  const all = Object.entries(people)
  const items: InboxItem[] = []
  for (let from = 0; from < all.length; from += MAX_IN_ITEM) {
    const body = Buffer.from(JSON.stringify(all.slice(from, from + MAX_IN_ITEM)))
    const key = `person/${createHash('sha256').update(body).digest('base64url')}`
    items.push({ key, kind: 'person', receivedAtMs: all[from]![1].atMs, body })
  }
  return items
}

/** The pairs of such an item, named as events name people. */
export const readLearned = (
  body: Uint8Array,
): Array<{ lid: string; phone: string; previousPhone?: string; previousLid?: string } & PersonRecord> =>
  (JSON.parse(Buffer.from(body).toString()) as Array<[string, LearnedPair]>).map(([lid, learned]) => ({
    ...learned,
    lid: `${lid}@lid`,
    phone: phoneJid(learned.phone),
    ...(learned.previousPhone !== undefined && { previousPhone: phoneJid(learned.previousPhone) }),
    ...(learned.previousLid !== undefined && { previousLid: `${learned.previousLid}@lid` }),
  }))
