import type { Beat } from '../../domain/holder.ts'
import type { Pool } from '../../domain/lease.ts'
import type { Sharer } from '../../domain/fair-share.ts'
import type { Tx } from '../transaction.ts'

/** Whoever owns leases of a pool, as it says that it lives. */
export interface LivingHolder {
  id: string
  nodeId: string
  pool: Pool
  /** How many leases it may hold. */
  room: number
  /** For how long it goes on if it cannot say so again. */
  lastsMs: number
}

export interface Holder extends Beat, Sharer {
  nodeId: string
}

export interface Beaten {
  /** The others did not know it: whatever it held before is another's, or free. */
  isNew: boolean
  /** All of the pool, itself among them. */
  holders: Holder[]
  nowMs: number
}

/** Says that a holder lives: one row, however much it holds. */
export async function beat(tx: Tx, holder: LivingHolder): Promise<Beaten> {
  const held = (await tx.get<{ n: number }>('select count(*) as n from leases where owner = ?', holder.id))!
  const [now] = await tx.insert<{ beat: number }>(
    'holders',
    [
      {
        id: holder.id,
        node_id: holder.nodeId,
        pool: holder.pool,
        leases: held.n,
        room: holder.room,
        beat: 1,
        lasts_until: tx.nowMs + holder.lastsMs,
      },
    ],
    `on conflict (id) do update set leases = excluded.leases, room = excluded.room, beat = holders.beat + 1,
       lasts_until = excluded.lasts_until returning beat`,
  )
  return { isNew: now!.beat === 1, holders: await readHolders(tx, holder.pool), nowMs: tx.nowMs }
}

export async function readHolders(tx: Tx, pool: Pool): Promise<Holder[]> {
  return await tx.all<Holder>(
    'select id, node_id as "nodeId", leases, room, beat from holders where pool = ? order by id',
    pool,
  )
}

/**
 * A holder that has ended, by its will or not, holds nothing any more. With `beat` only where that is still its last
 * one: whoever judges it dead may be late.
 */
export async function endHolder(tx: Tx, { id, beat: last }: { id: string; beat?: number }): Promise<boolean> {
  const [ended] = await tx.all<{ pool: Pool }>(
    `delete from holders where id = ? and (beat = ? or ? = 1) returning pool`,
    id,
    last ?? 0,
    last === undefined ? 1 : 0,
  )
  if (ended === undefined) return false
  await tx.run('update leases set owner = null, changed_at = ? where owner = ?', tx.nowMs, id)
  await tx.run('update pairings set claimed_until = 0 where owner = ? and claimed_until > 0', id)
  tx.notify({ about: ended.pool === 'shards' ? 'shards' : 'hosts' })
  return true
}

/**
 * Whether a holder is known to the others. Its row stays until the unit ends: whoever is judged dead meanwhile has what
 * it takes here freed with the rest.
 */
export async function isKnown(tx: Tx, id: string): Promise<boolean> {
  const lock = tx.dialect === 'postgres' ? ' for key share' : ''
  return (await tx.get(`select id from holders where id = ?${lock}`, id)) !== undefined
}

/** Of those that are silent for so long nobody was left to notice. */
export async function dropSilentHolders(tx: Tx, beforeMs: number): Promise<number> {
  const silent = await tx.all<{ id: string; beat: number }>(
    'select id, beat from holders where lasts_until < ? order by id limit 100',
    beforeMs,
  )
  for (const each of silent) await endHolder(tx, each)
  return silent.length
}
