export const PLANS = ['free', 'pro', 'max'] as const
export type Plan = (typeof PLANS)[number]

/** `null` is no limit. */
export interface Limits {
  messages_per_second: number | null
  messages_burst: number | null
  messages_per_month: number | null
  sessions: number | null
  requests_per_second: number | null
  requests_burst: number | null
}

const PLAN_LIMITS: Record<Plan, Limits> = {
  free: {
    messages_per_second: 1,
    messages_burst: 20,
    messages_per_month: 1_000,
    sessions: 1,
    requests_per_second: 10,
    requests_burst: 100,
  },
  pro: {
    messages_per_second: 20,
    messages_burst: 200,
    messages_per_month: 100_000,
    sessions: 10,
    requests_per_second: 50,
    requests_burst: 500,
  },
  max: {
    messages_per_second: 80,
    messages_burst: 800,
    messages_per_month: null,
    sessions: 100,
    requests_per_second: 200,
    requests_burst: 2_000,
  },
}

const RETENTION_DAYS: Record<Plan, number> = { free: 3, pro: 30, max: 90 }

export interface Account {
  id: string
  name: string
  plan: Plan
  limitOverrides: Partial<Limits>
  tosVersion: string | null
  tosAcceptedAt: number | null
  createdAt: number
}

export const limitsOf = (account: Pick<Account, 'plan' | 'limitOverrides'>): Limits => ({
  ...PLAN_LIMITS[account.plan],
  ...account.limitOverrides,
})

/** How long delivery history and dead letters are kept (specification, Delivery history 3). */
export const retentionMs = (plan: Plan): number => RETENTION_DAYS[plan] * 86_400_000
