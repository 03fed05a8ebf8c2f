import type { Account, Limits, Plan } from '../../../domain/account.ts'
import type { NewKey } from '../../../domain/api-key.ts'
import { notFound } from '../../../domain/errors.ts'
import type { Reader, Tx } from '../../tx.ts'
import { insertKey } from './keys.ts'
import { type Page, type PageRequest, toPage } from '../page.ts'
import { insertUser, type Login, type NewUser, setLogin } from '../users/users.ts'

interface AccountRow {
  id: string
  name: string
  plan: Plan
  limit_overrides: string
  tos_version: string | null
  tos_accepted_at: number | null
  created_at: number
}

const COLUMNS = 'id, name, plan, limit_overrides, tos_version, tos_accepted_at, created_at'

export interface NewAccount {
  id: string
  name: string
  plan: Plan
  limitOverrides: Partial<Limits>
  acceptTosVersion: string | null
  user: NewUser | null
  key: NewKey | null
}

/** An account with its first user and its first key, or none of them. */
export async function createAccount(tx: Tx, input: NewAccount): Promise<Account> {
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
  if (input.user !== null) await insertUser(tx, input.id, input.user)
  if (input.key !== null) await insertKey(tx, input.id, input.key)
  return toAccount(row)
}

export interface AccountChange {
  id: string
  name?: string
  plan?: Plan
  /** Merged into the overrides that stand. */
  limitOverrides?: Partial<Limits>
  acceptTosVersion?: string
  login?: Login
}

export async function updateAccount(tx: Tx, change: AccountChange): Promise<Account> {
  const row = await tx.get<AccountRow>(`select ${COLUMNS} from accounts where id = ?${tx.forUpdate}`, change.id)
  if (row === undefined) throw notFound('account')
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
  if (change.login !== undefined) await setLogin(tx, row.id, change.login)
  tx.notify({ about: 'keys', accountId: row.id })
  return toAccount(next)
}

export async function getAccount(reader: Reader, id: string): Promise<Account | undefined> {
  const row = await reader.get<AccountRow>(`select ${COLUMNS} from accounts where id = ?`, id)
  return row && toAccount(row)
}

export async function listAccounts(reader: Reader, page: PageRequest): Promise<Page<Account>> {
  const rows = await reader.all<AccountRow>(
    `select ${COLUMNS} from accounts where id > ? order by id limit ?`,
    page.cursor ?? '',
    page.limit + 1,
  )
  return toPage(rows, page.limit, row => row.id, toAccount)
}

export function toAccount(row: AccountRow): Account {
  return {
    id: row.id,
    name: row.name,
    plan: row.plan,
    limitOverrides: JSON.parse(row.limit_overrides) as Partial<Limits>,
    tosVersion: row.tos_version,
    tosAcceptedAt: row.tos_accepted_at,
    createdAt: row.created_at,
  }
}
