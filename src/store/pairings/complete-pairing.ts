import { limitsOf, maxNumbers } from '../../domain/account.ts'
import { FIRST_HISTORY, HISTORY_WAIT_MS } from '../../domain/history.ts'
import type { SessionLease } from '../../domain/lease.ts'
import type { PlatformName } from '../../domain/session.ts'
import type { Row, Tx } from '../transaction.ts'
import { getAccount } from '../accounts/accounts.ts'
import { beginFirstHistory } from '../history-jobs/history-jobs.ts'
import { openHosted, type TakenSession } from '../hosting/hosting.ts'
import type { SealedKey } from '../devices/device-state.ts'
import { clearNumber, endWaiting, forgetDevice } from '../sessions/forget-session.ts'
import { OPEN, PAIRING, type StoredPairing } from './pairings.ts'
import { isFull, registerSession } from '../sessions/sessions.ts'

export interface AcceptedDevice {
  id: string
  owner: string
  sessionId: string
  phone: string
  device: number
  creds: Uint8Array
  keys: SealedKey[]
  /** The sealed proxy that it was linked through. */
  proxy: Uint8Array | null
  /** The detail of the failure of waiting messages, if the number moves from another account. */
  movedDetail: string
}

export type CompletedPairing =
  | { kind: 'linked'; taken: TakenSession }
  /** The pairing was cancelled or has expired. */
  | { kind: 'over' }
  /** The sandbox number belongs to another account. */
  | { kind: 'number_taken' }
  /** The account's limit of numbers is reached. */
  | { kind: 'full'; platform: PlatformName; limit: number }

/**
 * Deletes some data of another account's number before a pairing moves it. Returns whether there may be more, so that
 * each transaction stays short.
 */
export async function clearMovedNumber(
  tx: Tx,
  input: { id: string; sessionId: string; movedDetail: string },
): Promise<boolean> {
  const pairing = await tx.get<StoredPairing>(`select ${PAIRING} from pairings where id = ? and ${OPEN}`, input.id)
  const before = await tx.get<{ accountId: string }>(
    'select account_id as "accountId" from sessions where id = ?',
    input.sessionId,
  )
  if (pairing === undefined || pairing.platform === 'sandbox') return false
  const { accountId, platform } = pairing
  if (before === undefined || before.accountId === accountId) return false
  const maxSessions = maxNumbers(limitsOf((await getAccount(tx, accountId))!), platform)
  if (await isFull(tx, { accountId, platform, maxSessions })) return false
  return await clearNumber(tx, { sessionId: input.sessionId, accountId: before.accountId, detail: input.movedDetail })
}

/**
 * Registers the number with its new credentials after a phone has accepted. The host that paired it owns its lease from
 * this transaction on; the earlier host is fenced.
 */
export async function completePairing(tx: Tx, input: AcceptedDevice): Promise<CompletedPairing> {
  // Even if another host has the pairing now: the phone has accepted this device.
  const pairing = await tx.get<StoredPairing>(
    `select ${PAIRING} from pairings where id = ? and ${OPEN}${tx.forUpdate}`,
    input.id,
  )
  if (pairing === undefined) return { kind: 'over' }
  const { accountId, platform } = pairing
  const account = (await getAccount(tx, accountId))!
  const { sessionId: id, phone, device, proxy } = input
  const before = await tx.get<{ accountId: string; label: string }>(
    `select account_id as "accountId", label from sessions where id = ?${tx.forUpdate}`,
    id,
  )
  const isOurs = before?.accountId === accountId
  // The owner of a real phone may move its number; a sandbox number has no phone that proves its owner.
  if (platform === 'sandbox' && before !== undefined && !isOurs) return { kind: 'number_taken' }
  const label = pairing.label === '' && isOurs ? before.label : pairing.label
  const maxSessions = maxNumbers(limitsOf(account), platform)
  const registered = await registerSession(tx, { accountId, id, phone, device, label, platform, proxy, maxSessions })
  if (registered === 'full') return { kind: 'full', platform, limit: maxSessions! }
  await endWaiting(tx, { sessionId: id, exceptAccountId: accountId, detail: input.movedDetail })
  await forgetDevice(tx, id)
  await tx.insert('device_creds', [{ session_id: id, sealed: input.creds }])
  await tx.insert(
    'device_keys',
    input.keys.filter(key => key.sealed !== null).map(key => ({ session_id: id, ...key })) as Row[],
    'on conflict (session_id, category, id) do update set sealed = excluded.sealed',
  )
  const { historyJob: job } = pairing
  const wanted = { wanted: FIRST_HISTORY.messages, waitMs: HISTORY_WAIT_MS }
  await beginFirstHistory(tx, {
    sessionId: id,
    first: job === null ? null : { id: job, platformId: pairing.id, ...wanted },
  })
  const leases = await tx.all<SessionLease>(
    // A host that was declared dead gets no lease: the number is free, and the host's writes are rejected.
    `update leases set owner = (select h.id from holders h where h.id = ?), epoch = epoch + 1, changed_at = ?
     where kind = 'session' and id = ? returning kind, id, epoch`,
    input.owner,
    tx.nowMs,
    id,
  )
  await tx.run(
    "update pairings set status = 'linked', session_id = ?, step = null, proxy = null, updated_at = ? where id = ?",
    id,
    tx.nowMs,
    input.id,
  )
  const webhooks = await tx.all<{ id: string }>('select id from webhooks where session_id = ?', id)
  for (const webhook of webhooks) tx.notify({ about: 'webhooks', webhookId: webhook.id })
  tx.notify({ about: 'pairings', pairingId: input.id })
  return {
    kind: 'linked',
    taken: (
      await openHosted(
        tx,
        leases.map(lease => ({ ...lease, owner: input.owner })),
      )
    )[0]!,
  }
}
