import type { HealthEvent } from './event.ts'
import type { Ban, NewChatCap, Restriction } from './session.ts'

export const HEALTH_STATUSES = ['good', 'warned', 'restricted', 'banned'] as const
export type HealthStatus = (typeof HEALTH_STATUSES)[number]

/** What the platform has reported of a number. */
export interface ReportedHealth {
  restrictedUntil: number | null
  newChatCap: NewChatCap | null
  ban: Ban | null
}

/** The worst that holds now. */
export function healthStatus({ restrictedUntil, newChatCap, ban }: ReportedHealth, nowMs: number): HealthStatus {
  if (ban !== null && (ban.untilMs ?? Number.POSITIVE_INFINITY) > nowMs) return 'banned'
  const cap = newChatCap !== null && (newChatCap.untilMs ?? nowMs + 1) > nowMs ? newChatCap.status : 'none'
  if ((restrictedUntil ?? 0) > nowMs || cap === 'capped') return 'restricted'
  return cap === 'none' ? 'good' : 'warned'
}

/** Ends that differ by less are the same: if the platform names no end, each refusal prolongs the restriction. */
const SAME_END_MS = 60_000

const isSameEnd = (one: number | null, other: number | null): boolean =>
  one === null || other === null ? one === other : Math.abs(one - other) <= SAME_END_MS

type HealthChange = HealthEvent['event'] | null

/** The event of a restriction, compared with the one before. */
export function restrictionChange(before: Restriction | null, after: Restriction | null, nowMs: number): HealthChange {
  if (after === null) return before === null ? null : 'lifted'
  const isKnown =
    before !== null && before.untilMs > nowMs && before.type === after.type && isSameEnd(before.untilMs, after.untilMs)
  return isKnown ? null : 'restricted'
}

/** The event of a report about new chats, compared with the report before. */
export function newChatsChange(before: NewChatCap | null, after: NewChatCap, nowMs: number): HealthChange {
  if (after.status === 'none') return before === null || before.status === 'none' ? null : 'lifted'
  const isOver = before?.untilMs != null && before.untilMs <= nowMs
  if (!isOver && before?.status === after.status) return null
  return after.status === 'capped' ? 'restricted' : 'warned'
}

/** The event of a login that the platform refused or, without a ban, accepted. */
export function banChange(before: Ban | null, after: Ban | null): HealthChange {
  if (after === null) return before === null ? null : 'lifted'
  const isKnown = before !== null && before.reason === after.reason && isSameEnd(before.untilMs, after.untilMs)
  return isKnown ? null : 'banned'
}

/** How long refusals are counted, and how far back chats are. */
export const HEALTH_DAYS = 7
