import type { Context } from '../context.ts'
import {
  NAMES_CATEGORY,
  otherNameId,
  PEOPLE_CATEGORY,
  type Person,
  personOf,
  type PersonRecord,
} from '../domain/person.ts'
import { digitsOf, jidKind, phoneJid } from '../domain/jid.ts'
import { aboutKey } from '../domain/sealed.ts'
import type { Store } from '../store/store.ts'

type FindDeps = Pick<Context, 'seal'> & { store: Pick<Store, 'devices'> }

/** What a number has learned of these people, in their order. It is read from storage; the platform gets no query. */
export async function findPeople(deps: FindDeps, sessionId: string, jids: readonly string[]): Promise<Person[]> {
  const first = await readKeys<string>(deps, sessionId, NAMES_CATEGORY, jids.map(otherNameId))
  // The other name has to lead back.
  const others = jids.flatMap(jid => {
    const digits = first.get(otherNameId(jid))
    if (digits === undefined) return []
    return jidKind(jid) === 'lid' ? phoneJid(digits) : `${digits}@lid`
  })
  const back = await readKeys<string>(deps, sessionId, NAMES_CATEGORY, others.map(otherNameId))
  const lids = [...jids, ...others].filter(jid => jidKind(jid) === 'lid').map(digitsOf)
  const records = await readKeys<PersonRecord>(deps, sessionId, PEOPLE_CATEGORY, lids)
  const names = new Map([...first, ...back])
  return jids.map(jid => personOf(jid, names, records))
}

async function readKeys<T>(
  { store, seal }: FindDeps,
  sessionId: string,
  category: string,
  ids: readonly string[],
): Promise<Map<string, T>> {
  if (ids.length === 0) return new Map()
  const rows = await store.devices.readDeviceKeys({ sessionId, category, ids: [...new Set(ids)] })
  return new Map(
    rows.map(({ id, sealed }) => [id, seal.openJson<T>(sealed, aboutKey(sessionId, category, id))] as const),
  )
}
