import type { Context } from '../context.ts'
import { getOwn } from '../runtime/get-own.ts'
import { ABOUT_KEY_CHECK } from '../domain/sealed.ts'
import type { Store } from '../store/store.ts'
import { SEALED_COLUMNS, type SealedColumn, type SealedRow, type SealedBatch } from '../store/resealing/resealing.ts'

const BATCH = 100

type Deps = Pick<Context, 'seal' | 'log'> & { store: Pick<Store, 'resealing' | 'settings'> }

/**
 * After a rotation (POSTERN_SECRET_KEY=new,old): seals all rows again under the new key, batch by batch. At the end it logs
 * that the old key can be left out.
 */
export async function resealAll(deps: Deps, signal: AbortSignal): Promise<void> {
  const { store, seal, log } = deps
  // Even if the key check is under the new key: another process may have continued under the old one after that.
  if (seal.oldKeyIds().length === 0) return
  const mark = await store.settings.getSetting('key_check')
  let rows = 0
  for (const column of SEALED_COLUMNS) rows += await resealColumn(deps, column, signal)
  if (signal.aborted) return
  if (mark !== undefined && seal.isOld(Buffer.from(mark, 'base64'))) {
    const to = seal.seal(ABOUT_KEY_CHECK, ABOUT_KEY_CHECK).toString('base64')
    await store.settings.changeSetting({ name: 'key_check', from: mark, to })
  }
  log.info({ rows, now: 'when the last process says so, leave the old key out of POSTERN_SECRET_KEY' }, 'data.resealed')
}

async function resealColumn({ store, seal }: Deps, column: SealedColumn, signal: AbortSignal): Promise<number> {
  let count = 0
  let after: string[] | null = null
  do {
    const batch: SealedBatch = await store.resealing.readSealedUnder({
      column,
      keyIds: seal.oldKeyIds(),
      after,
      limit: BATCH,
    })
    const rows = batch.rows.map(row => {
      const about = aboutOf(column, row)
      return { row, sealed: seal.seal(seal.open(row.sealed, about), about) }
    })
    if (rows.length > 0) await store.resealing.replaceSealed({ column, rows })
    count += rows.length
    after = batch.next
  } while (after !== null && !signal.aborted)
  return count
}

const aboutOf = ({ about }: SealedColumn, row: SealedRow): string =>
  about.replace(/\{([a-z_]+)\}/g, (_, name: string) => getOwn(row, name) as string)
