import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Seal } from '../../src/store/seal.ts'
import { SEALED_COLUMNS } from '../../src/store/resealing/resealing.ts'
import type { Place } from './stores.ts'

/** Writes a row as text, with the content of its sealed columns. */
export async function createSeal(place: Place): Promise<(table: string, row: Record<string, unknown>) => string> {
  const seal = new Seal([Buffer.from(readFileSync(join(place.dataDir, 'secret.key'), 'utf8').trim(), 'base64')])
  return (table, row) =>
    Object.entries(row)
      .map(([column, value]) => {
        if (!(value instanceof Uint8Array)) return `${column}=${String(value)}`
        const about = SEALED_COLUMNS.find(each => each.table === table && each.column === column)?.about
        if (about === undefined) return `${column}=${Buffer.from(value).toString('latin1')}`
        const name = about.replaceAll(/\{(\w+)\}/g, (_, key: string) => String(row[key]))
        return `${column}=${seal.open(value, name).toString('latin1')}`
      })
      .join(' ')
      .replaceAll('\n', ' ')
}
