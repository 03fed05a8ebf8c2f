import type { SearchedTable } from '../../store/erasures/searched-tables.ts'
import { SEARCHED_TABLES } from '../../store/erasures/searched-tables.ts'
import { type FoundRow, namesOf, patternOf, rowsThatName, type SearchDeps, searchesOf } from './search-person.ts'

/** Keys with these names say something about the person; the others are secrets of the device. */
const READABLE_KEYS = new Set(['lid-mapping', 'postern-people', 'postern-contact-names', 'postern-expirations'])

/**
 * A line of JSON for each entry that names the person, and the person's names first. There is a part for each batch of rows
 * that was searched, perhaps an empty one, so that the caller can pause between them.
 */
export async function* exportPerson(deps: SearchDeps, accountId: string, jid: string): AsyncGenerator<Buffer> {
  const { store, seal } = deps
  const names = await namesOf(deps, accountId, jid)
  const pattern = patternOf(names)
  yield line({ kind: 'person', names })
  const sessionIds = await store.erasures.listNumberIds(accountId)
  for (const table of SEARCHED_TABLES) {
    for (const search of searchesOf(table, accountId, sessionIds)) {
      let { after } = search
      do {
        const { rows, next } = await store.erasures.searchRows({ ...search, after })
        const lines = rowsThatName(seal, table, rows, pattern).map(found =>
          line({
            kind: table.kind,
            ...(search.sessionId && { session_id: search.sessionId }),
            ...shown(table, found),
          }),
        )
        yield Buffer.concat(lines)
        after = next
      } while (after !== null)
    }
  }
}

/** The plain columns, and the content of sealed ones. */
function shown({ table }: SearchedTable, { row, opened }: FoundRow): Record<string, unknown> {
  const plain = Object.entries(row).filter(([, value]) => !(value instanceof Uint8Array))
  const isSecret = table === 'device_keys' && !READABLE_KEYS.has(String(row['category']))
  const isBinary = table === 'sent_messages' || table === 'seen_messages' || table === 'media'
  const contents = isSecret || isBinary ? [] : Object.entries(opened)
  return {
    ...Object.fromEntries(plain.map(([column, value]) => [column, parsed(value)])),
    ...Object.fromEntries(contents.map(([column, text]) => [column, parsed(text)])),
  }
}

function parsed(value: unknown): unknown {
  if (typeof value !== 'string' || !/^[[{"]/.test(value)) return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

const line = (value: unknown): Buffer => Buffer.from(`${JSON.stringify(value)}\n`)
