import type { PlatformName } from './session.ts'

export const PLANS = ['free', 'pro', 'max'] as const
export type Plan = (typeof PLANS)[number]

/** The operator of the first start, who has no address for mails until the operator sets one. */
export const OWNER_EMAIL = 'owner@postern.local'

/** `null` is no limit. */
export interface Limits {
  messages_per_second: number | null
  messages_burst: number | null
  messages_per_month: number | null
  sessions: number | null
  /** Per key. */
  requests_per_second: number | null
  requests_burst: number | null
  /** Of all keys and users of the account together. */
  account_requests_per_second: number | null
  account_requests_burst: number | null
  /** Live API keys. */
  keys: number | null
  /** Sandbox numbers, which the limit of numbers does not count. */
  sandbox_sessions: number | null
  /** Messages, edits and revokes that wait in the queue. */
  waiting_messages: number | null
}

/** The limits of each plan; the request limits of an account follow from those of its keys. */
type PlanLimits = Omit<Limits, 'account_requests_per_second' | 'account_requests_burst'>

const PLAN_LIMITS: Record<Plan, PlanLimits> = {
  free: {
    messages_per_second: 1,
    messages_burst: 20,
    messages_per_month: 1_000,
    sessions: 1,
    requests_per_second: 10,
    requests_burst: 100,
    keys: 10,
    sandbox_sessions: 20,
    waiting_messages: 10_000,
  },
  pro: {
    messages_per_second: 20,
    messages_burst: 200,
    messages_per_month: 100_000,
    sessions: 10,
    requests_per_second: 50,
    requests_burst: 500,
    keys: 50,
    sandbox_sessions: 100,
    waiting_messages: 100_000,
  },
  max: {
    messages_per_second: 80,
    messages_burst: 800,
    messages_per_month: null,
    sessions: 100,
    requests_per_second: 200,
    requests_burst: 2_000,
    keys: 200,
    sandbox_sessions: 500,
    waiting_messages: 250_000,
  },
}

export interface Account {
  id: string
  name: string
  plan: Plan
  limitOverrides: Partial<Limits>
  tosVersion: string | null
  tosAcceptedAt: number | null
  createdAt: number
}

/** An account may send as many requests as this many of its keys together. */
const KEYS_AT_FULL_RATE = 3

/** Cached by account object: an account that changes is read again as a new object. */
const known = new WeakMap<object, Limits>()

export function limitsOf(account: Pick<Account, 'plan' | 'limitOverrides'>): Limits {
  let limits = known.get(account)
  if (limits === undefined) known.set(account, (limits = Object.freeze(combine(account))))
  return limits
}

function combine(account: Pick<Account, 'plan' | 'limitOverrides'>): Limits {
  const limits = { ...PLAN_LIMITS[account.plan], ...account.limitOverrides }
  const ofAccount = (ofKey: number | null): number | null => (ofKey === null ? null : ofKey * KEYS_AT_FULL_RATE)
  return {
    ...limits,
    account_requests_per_second: limits.account_requests_per_second ?? ofAccount(limits.requests_per_second),
    account_requests_burst: limits.account_requests_burst ?? ofAccount(limits.requests_burst),
    ...account.limitOverrides,
  }
}

/** The limits that apply when a message is accepted. */
export function messageLimitsOf(account: Pick<Account, 'plan' | 'limitOverrides'>) {
  const limits = limitsOf(account)
  return {
    perSecond: limits.messages_per_second,
    burst: limits.messages_burst,
    perMonth: limits.messages_per_month,
    waiting: limits.waiting_messages,
  }
}

/** Real numbers and sandbox numbers count separately. */
export const maxNumbers = (limits: Limits, platform: PlatformName): number | null =>
  platform === 'sandbox' ? limits.sandbox_sessions : limits.sessions
