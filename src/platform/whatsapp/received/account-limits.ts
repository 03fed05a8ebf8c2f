import { type BinaryNode, getBinaryNodeChild } from 'baileys'
import { NEW_CHAT_STATUSES, type NewChatCap, type Restriction } from '../../../domain/session.ts'
import { getOwn } from '../../../runtime/get-own.ts'
import { unixSeconds } from '../wire/numbers.ts'

/** What the platform reports about the limits of an account. */
export type AccountLimit =
  /** `null`: the restriction is lifted. */
  { kind: 'restriction'; restriction: Restriction | null } | { kind: 'new_chats'; cap: NewChatCap }

// The platform's own client uses this time if the platform gives none.
export const DEFAULT_RESTRICTION_MS = 60_000

/**
 * Reads a notification about the limits of the account; `undefined` if it is about something else. The library knows
 * only some types of restrictions.
 */
export function accountLimitOf(stanza: BinaryNode, nowMs: number): AccountLimit | undefined {
  if (stanza.attrs.type !== 'mex') return undefined
  const update = getBinaryNodeChild(stanza, 'update')
  const read = getOwn(READERS, update?.attrs.op_name ?? '')
  return update && read?.(dataOf(update), nowMs)
}

type Fields = Record<string, unknown>

const READERS: Record<string, (data: Fields, nowMs: number) => AccountLimit | undefined> = {
  NotificationUserReachoutTimelockUpdate: (data, nowMs) => {
    const lock = fieldsOf(data.xwa2_notify_account_reachout_timelock)
    if (lock.is_active === false) return { kind: 'restriction', restriction: null }
    if (lock.is_active !== true) return undefined
    const ends = unixSeconds(lock.time_enforcement_ends)
    const untilMs = ends === undefined ? nowMs + DEFAULT_RESTRICTION_MS : ends * 1_000
    return { kind: 'restriction', restriction: { untilMs, type: restrictionType(lock.enforcement_type) } }
  },
  MessageCappingInfoNotification: (data, nowMs) => {
    const cap = newChatCapOf(data.xwa2_notify_new_chat_messages_capping_info_update, nowMs)
    return cap && { kind: 'new_chats', cap }
  },
}

/** Reads a report about new chats; `undefined` if it has no known status. */
export function newChatCapOf(report: unknown, nowMs: number): NewChatCap | undefined {
  const cap = fieldsOf(report)
  const status = NEW_CHAT_STATUSES.find(name => name.toUpperCase() === cap.capping_status)
  if (status === undefined) return undefined
  const ends = unixSeconds(cap.cycle_end_timestamp)
  const untilMs = ends === undefined ? null : ends * 1_000
  return { status, limit: quotaOf(cap.total_quota), used: quotaOf(cap.used_quota), untilMs, asOfMs: nowMs }
}

function dataOf({ content }: BinaryNode): Fields {
  try {
    return fieldsOf(fieldsOf(JSON.parse(Buffer.from((content as Uint8Array | string) ?? '').toString('utf8'))).data)
  } catch {
    return {}
  }
}

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {})

/** A name such as `RESTRICT_ALL_COMPANIONS`, in lower case; `null` for the general restriction. */
export function restrictionType(value: unknown): string | null {
  return typeof value === 'string' && /^[A-Z][A-Z_]{0,63}$/.test(value) && value !== 'DEFAULT'
    ? value.toLowerCase()
    : null
}

/** The platform writes numbers as text too, and -1 for no limit. */
const quotaOf = (value: unknown): number | null => (/^\d{1,9}$/.test(String(value)) ? Number(value) : null)
