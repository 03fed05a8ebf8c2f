import type { Account, Limits, Plan } from '../../domain/account.ts'
import type { NewKey } from '../../domain/api-key.ts'
import type { Reader, Tx } from '../transaction.ts'
import { insertKey } from '../keys/keys.ts'
import { type Page, type PageRequest, toPage } from '../page.ts'
import { insertUser, type Login, type LoginSet, type NewUser, setLogin } from '../users/users.ts'
import { type AccountRow, ACCOUNT_COLUMNS, toAccount } from './account-row.ts'

export interface NewAccount {
  id: string
  name: string
  plan: Plan
  limitOverrides: Partial<Limits>
  acceptTosVersion: string | null
  user: NewUser | null
  key: NewKey | null
}

export type CreatedAccount = { kind: 'created'; account: Account } | { kind: 'email_taken' }

/** Creates an account with its first user and key, or none of them. */
export async function createAccount(tx: Tx, input: NewAccount): Promise<CreatedAccount> {
  const row: AccountRow = {
    id: input.id,
    name: input.name,
    plan: input.plan,
    limit_overrides: JSON.stringify(input.limitOverrides),
    tos_version: input.acceptTosVersion,
    tos_accepted_at: input.acceptTosVersion === null ? null : tx.nowMs,
    created_at: tx.nowMs,
  }
  await tx.insert('accounts', [{ ...row }])
  // The user's row references the account's, and only the insert shows whether the email is free.
  if (input.user !== null && (await insertUser(tx, input.id, input.user)) === 'email_taken') {
    await tx.run('delete from accounts where id = ?', input.id)
    return { kind: 'email_taken' }
  }
  if (input.key !== null) await insertKey(tx, input.id, input.key)
  return { kind: 'created', account: toAccount(row) }
}

export interface AccountChange {
  id: string
  name?: string
  plan?: Plan
  /** Merged into the existing overrides. */
  limitOverrides?: Partial<Limits>
  acceptTosVersion?: string
  login?: Login
}

/** All changes are made, or none. */
export type UpdatedAccount =
  | { kind: 'updated'; account: Account }
  | { kind: 'unknown' }
  | { kind: Exclude<LoginSet, 'done'> }

export async function updateAccount(tx: Tx, change: AccountChange): Promise<UpdatedAccount> {
  const row = await tx.get<AccountRow>(`select ${ACCOUNT_COLUMNS} from accounts where id = ?${tx.forUpdate}`, change.id)
  if (row === undefined) return { kind: 'unknown' }
  const login = change.login === undefined ? 'done' : await setLogin(tx, row.id, change.login)
  if (login !== 'done') return { kind: login }
  const next: AccountRow = {
    ...row,
    name: change.name ?? row.name,
    plan: change.plan ?? row.plan,
    limit_overrides: JSON.stringify({ ...JSON.parse(row.limit_overrides), ...change.limitOverrides }),
    tos_version: change.acceptTosVersion ?? row.tos_version,
    tos_accepted_at: change.acceptTosVersion === undefined ? row.tos_accepted_at : tx.nowMs,
  }
  await tx.run(
    'update accounts set name = ?, plan = ?, limit_overrides = ?, tos_version = ?, tos_accepted_at = ? where id = ?',
    next.name,
    next.plan,
    next.limit_overrides,
    next.tos_version,
    next.tos_accepted_at,
    row.id,
  )
  tx.notify({ about: 'keys', accountId: row.id })
  return { kind: 'updated', account: toAccount(next) }
}

export async function getAccount(reader: Reader, id: string): Promise<Account | undefined> {
  const row = await reader.get<AccountRow>(`select ${ACCOUNT_COLUMNS} from accounts where id = ?`, id)
  return row && toAccount(row)
}

export async function listAccounts(reader: Reader, page: PageRequest): Promise<Page<Account>> {
  const rows = await reader.all<AccountRow>(
    `select ${ACCOUNT_COLUMNS} from accounts where id > ? order by id limit ?`,
    page.cursor ?? '',
    page.limit + 1,
  )
  return toPage(rows, page.limit, row => row.id, toAccount)
}
