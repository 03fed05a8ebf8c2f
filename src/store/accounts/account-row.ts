import type { Account, Limits, Plan } from '../../domain/account.ts'

export interface AccountRow {
  id: string
  name: string
  plan: Plan
  limit_overrides: string
  tos_version: string | null
  tos_accepted_at: number | null
  created_at: number
}

export const ACCOUNT_COLUMNS = 'id, name, plan, limit_overrides, tos_version, tos_accepted_at, created_at'

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
