import { type Lease, SIMULATOR_LEASE } from '../../domain/lease.ts'
import type { Reader, Tx } from '../transaction.ts'
import { type Fenced, heldLeases } from '../leases/fence.ts'

export interface SimulatorEntry {
  key: string
  sealed: Uint8Array | null
}

/** Saves changes of the sandbox network in one transaction; `null` deletes an entry. */
export async function saveSimulatorEntries(
  tx: Tx,
  input: { lease: Lease; entries: SimulatorEntry[] },
): Promise<Fenced> {
  if (!(await heldLeases(tx, [input.lease]))(input.lease)) return 'lost'
  const kept = input.entries.filter((entry): entry is { key: string; sealed: Uint8Array } => entry.sealed !== null)
  await tx.insert(
    'simulator_entries',
    kept.map(({ key, sealed }) => ({ key, sealed })),
    'on conflict (key) do update set sealed = excluded.sealed',
  )
  const gone = input.entries.filter(entry => entry.sealed === null).map(({ key }) => ({ key }))
  if (gone.length > 0) {
    const r = tx.values({ key: 'text' }, gone)
    await tx.run(`delete from simulator_entries where key in (select key from ${r.sql} r)`, ...r.params)
  }
  return 'done'
}

export async function readSimulatorEntries(
  reader: Reader,
  input: { after: string; limit: number },
): Promise<Array<{ key: string; sealed: Uint8Array }>> {
  return await reader.all(
    'select key, sealed from simulator_entries where key > ? order by key limit ?',
    input.after,
    input.limit,
  )
}

/** The address of the sandbox network, and the certificates that workers trust for it only. */
export interface SimulatorAddress {
  url: string
  rootKey: Uint8Array
  mediaCa: string
  /** Includes the port. */
  mediaHost: string
}

export async function publishSimulator(tx: Tx, input: { lease: Lease; address: SimulatorAddress }): Promise<Fenced> {
  if (!(await heldLeases(tx, [input.lease]))(input.lease)) return 'lost'
  const { url, rootKey, mediaCa, mediaHost } = input.address
  await tx.insert(
    'simulator_address',
    [
      {
        name: SIMULATOR_LEASE.id,
        url,
        root_key: rootKey,
        media_ca: mediaCa,
        media_host: mediaHost,
        updated_at: tx.nowMs,
      },
    ],
    `on conflict (name) do update set url = excluded.url, root_key = excluded.root_key, media_ca = excluded.media_ca,
       media_host = excluded.media_host, updated_at = excluded.updated_at`,
  )
  return 'done'
}

export async function readSimulatorAddress(reader: Reader): Promise<SimulatorAddress | undefined> {
  return await reader.get<SimulatorAddress>(
    `select url, root_key as "rootKey", media_ca as "mediaCa", media_host as "mediaHost" from simulator_address
     where name = ?`,
    SIMULATOR_LEASE.id,
  )
}
