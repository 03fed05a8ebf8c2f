import { setImmediate as yieldToEvents } from 'node:timers/promises'
import type { Context } from '../../context.ts'
import { digitsOf } from '../../domain/jid.ts'
import { getOwn } from '../../runtime/get-own.ts'
import { type SearchedTable, sealedOf } from '../../store/erasures/searched-tables.ts'
import type { Search } from '../../store/erasures/search.ts'
import { KeyNotListed, type Seal } from '../../store/seal.ts'
import type { Store } from '../../store/store.ts'
import type { Row } from '../../store/transaction.ts'
import { findPeople } from '../find-people.ts'

export interface SearchDeps extends Pick<Context, 'seal'> {
  store: Pick<Store, 'devices' | 'erasures'>
}

/** The digits of every name that the account's numbers know of a person: phone numbers and hidden identifiers. */
export async function namesOf(deps: SearchDeps, accountId: string, jid: string): Promise<string[]> {
  const names = new Set([digitsOf(jid)])
  for (const sessionId of await deps.store.erasures.listNumberIds(accountId)) {
    const [person] = await findPeople(deps, sessionId, [jid])
    for (const name of [person!.lid, person!.phone]) if (name !== null) names.add(digitsOf(name))
    await yieldToEvents()
  }
  return [...names]
}

/** Finds a name in a text: alone, in a JID, with a device number. A group that is named after its creator is not meant. */
export const patternOf = (names: readonly string[]): RegExp =>
  new RegExp(`(?<!\\d)(?:${names.join('|')})(?!\\d|-\\d+@g\\.us)`)

/** A row with the plain text of its sealed columns. */
export interface FoundRow {
  row: Row
  opened: Readonly<Record<string, string>>
}

/** The rows of a batch that name the person. Rows that cannot be decrypted count by their plain columns. */
export function rowsThatName(seal: Seal, table: SearchedTable, rows: readonly Row[], pattern: RegExp): FoundRow[] {
  return rows.flatMap(row => {
    const opened = openRow(seal, table, row)
    const texts = [...table.text.map(column => String(row[column] ?? '')), ...Object.values(opened)]
    return texts.some(text => pattern.test(text)) ? [{ row, opened }] : []
  })
}

function openRow(seal: Seal, { table }: SearchedTable, row: Row): Record<string, string> {
  const opened = sealedOf(table).flatMap(({ column, about }): Array<[string, string]> => {
    const sealed = row[column]
    if (!(sealed instanceof Uint8Array)) return []
    const name = about.replaceAll(/\{(\w+)\}/g, (_, key: string) => String(getOwn(row, key)))
    try {
      return [[column, withBase64(table, row, seal.open(sealed, name).toString('utf8'))]]
    } catch (error) {
      if (error instanceof KeyNotListed) return []
      throw error
    }
  })
  return Object.fromEntries(opened)
}

/** Names may be in base64 there: how the platform finds a file, and the list of people with tokens. */
function withBase64(table: string, row: Row, text: string): string {
  const isHidden = table === 'media' || (table === 'device_keys' && row['category'] === 'tctoken')
  if (!isHidden) return text
  const inside = [...text.matchAll(/"([A-Za-z0-9+/]{16,}={0,2})"/g)].map(([, base64]) =>
    Buffer.from(base64!, 'base64').toString('utf8'),
  )
  return [text, ...inside].join('\n')
}

/** The searches of a table: one for each number, if its rows are ordered by number. */
export function searchesOf(table: SearchedTable, accountId: string, sessionIds: string[]): Search[] {
  const all = { table, accountId, sessionIds, after: null }
  return table.of === 'number' ? sessionIds.map(sessionId => ({ ...all, sessionId })) : [{ ...all, sessionId: null }]
}
