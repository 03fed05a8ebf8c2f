import type { Account } from '../../domain/account.ts'
import type { ApiKey, NewKey, Scope } from '../../domain/api-key.ts'
import { BOUNDS } from '../../domain/bounds.ts'
import type { Reader, Tx } from '../transaction.ts'
import { ACCOUNT_COLUMNS, type AccountRow, toAccount } from '../accounts/account-row.ts'
import { type Page, type PageRequest, toPage } from '../page.ts'

interface KeyRow {
  id: string
  account_id: string
  label: string
  prefix: string
  scopes: string
  session_ids: string | null
  created_at: number
  last_used_at: number | null
}

const COLUMNS = 'id, account_id, label, prefix, scopes, session_ids, created_at, last_used_at'

export async function insertKey(tx: Tx, accountId: string, key: NewKey): Promise<ApiKey> {
  const row: KeyRow = {
    id: key.id,
    account_id: accountId,
    label: key.label,
    prefix: key.prefix,
    scopes: key.scopes.join(' '),
    session_ids: key.sessionIds === null ? null : JSON.stringify(key.sessionIds),
    created_at: tx.nowMs,
    last_used_at: null,
  }
  await tx.insert('api_keys', [{ ...row, key_hash: key.hash }])
  return toKey(row)
}

export interface KeyRequest {
  accountId: string
  key: NewKey
  /** The account's limit of active keys; `null` for none. */
  maxKeys: number | null
}

/** `full`: the limit is reached. */
export type CreatedKey = { kind: 'created'; key: ApiKey } | { kind: 'full' }

/** The account is locked while its keys are counted, so that concurrent requests cannot exceed the limit. */
export async function createKey(tx: Tx, { accountId, key, maxKeys }: KeyRequest): Promise<CreatedKey> {
  await tx.get(`select id from accounts where id = ?${tx.forUpdate}`, accountId)
  const live = 'select count(*) as n from api_keys where account_id = ? and revoked_at is null'
  if (maxKeys !== null && (await tx.get<{ n: number }>(live, accountId))!.n >= maxKeys) return { kind: 'full' }
  await tx.run(
    `delete from api_keys where id in (select id from api_keys where account_id = ? and revoked_at is not null
       order by revoked_at desc, id desc limit 1000 offset ${BOUNDS.revokedKeysKept})`,
    accountId,
  )
  return { kind: 'created', key: await insertKey(tx, accountId, key) }
}

/** Returns whether the account had such an active key. */
export async function revokeKey(tx: Tx, input: { accountId: string; keyId: string }): Promise<boolean> {
  const changed = await tx.run(
    'update api_keys set revoked_at = ? where id = ? and account_id = ? and revoked_at is null',
    tx.nowMs,
    input.keyId,
    input.accountId,
  )
  tx.notify({ about: 'keys', accountId: input.accountId })
  return changed === 1
}

/** Records when keys were last used, for many keys at a time. */
export async function touchKeys(tx: Tx, used: Array<{ id: string; at: number }>): Promise<void> {
  const r = tx.values({ id: 'text', at: 'bigint' }, used)
  await tx.run(`update api_keys set last_used_at = r.at from ${r.sql} r where api_keys.id = r.id`, ...r.params)
}

export async function getKey(reader: Reader, id: string): Promise<ApiKey | undefined> {
  const row = await reader.get<KeyRow>(`select ${COLUMNS} from api_keys where id = ? and revoked_at is null`, id)
  return row && toKey(row)
}

export async function listKeys(reader: Reader, input: { accountId: string } & PageRequest): Promise<Page<ApiKey>> {
  const rows = await reader.all<KeyRow>(
    `select ${COLUMNS} from api_keys where account_id = ? and revoked_at is null and id > ? order by id limit ?`,
    input.accountId,
    input.cursor ?? '',
    input.limit + 1,
  )
  return toPage(rows, input.limit, row => row.id, toKey)
}

export interface Identity {
  key: ApiKey
  account: Account
  hash: Uint8Array
}

export async function findKeyByHash(reader: Reader, hash: Uint8Array): Promise<Identity | undefined> {
  const row = await reader.get<KeyRow & { key_hash: Uint8Array }>(
    `select ${COLUMNS}, key_hash from api_keys where key_hash = ? and revoked_at is null`,
    hash,
  )
  if (row === undefined) return undefined
  const account = await reader.get<AccountRow>(`select ${ACCOUNT_COLUMNS} from accounts where id = ?`, row.account_id)
  return { key: toKey(row), account: toAccount(account!), hash: row.key_hash }
}

function toKey(row: KeyRow): ApiKey {
  return {
    id: row.id,
    accountId: row.account_id,
    label: row.label,
    prefix: row.prefix,
    scopes: row.scopes.split(' ') as Scope[],
    sessionIds: row.session_ids === null ? null : (JSON.parse(row.session_ids) as string[]),
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  }
}
