import type { Pace } from './pace.ts'

export type SessionState = 'connecting' | 'connected' | 'disconnected' | 'logged_out'
export type PlatformName = 'whatsapp' | 'sandbox'

/**
 * How direct messages address people: by hidden identifier if there is one (`auto`), by hidden identifier only (`lid`),
 * or by number if it is known (`pn`).
 */
export const ADDRESSINGS = ['auto', 'lid', 'pn'] as const
export type Addressing = (typeof ADDRESSINGS)[number]

/**
 * How contacts see the number: online while a program receives typing or presence, and offline otherwise (`auto`), or
 * always the same.
 */
export const APPEARANCES = ['auto', 'online', 'offline'] as const
export type Appear = (typeof APPEARANCES)[number]

/** The platform lets the number write only to people who have written to it. */
export interface Restriction {
  untilMs: number
  /** The platform's name for its kind, in lower case; `null` for a general one. */
  type: string | null
}

/** How close the number is to the platform's limit of new chats. */
export const NEW_CHAT_STATUSES = ['none', 'first_warning', 'second_warning', 'capped'] as const

/** The platform's limit of new chats in the current period, as it reported it last; `null` where it gave no number. */
export interface NewChatCap {
  status: (typeof NEW_CHAT_STATUSES)[number]
  limit: number | null
  used: number | null
  /** The end of the period. */
  untilMs: number | null
  asOfMs: number
}

/** The platform refuses every login of the number. */
export interface Ban {
  /** In words for people. */
  reason: string
  /** `null`: the platform names no end. */
  untilMs: number | null
  asOfMs: number
}

export interface Session {
  /** The JID without device number. */
  id: string
  accountId: string
  phone: string
  /** The device number that the platform assigned to this link; 0 before it is known. */
  device: number
  label: string
  platform: PlatformName
  state: SessionState
  autoReject: boolean
  autoRejectMessage: string | null
  pace: Pace | null
  addressing: Addressing
  appear: Appear
  /** Its owner has stopped it: it stays linked, and does not connect. */
  paused: boolean
  restrictedUntil: number | null
  restrictionType: string | null
  /** When the platform last reported a restriction, or that there is none. */
  restrictedAt: number | null
  newChatCap: NewChatCap | null
  ban: Ban | null
  /** Why it is not connected, in words for people, and when that ends, if the platform says so. */
  linkReason: string | null
  linkUntil: number | null
  createdAt: number
  connectedAt: number | null
  lastEventAt: number | null
  /** Whether a worker runs this session now, under a live lease. */
  hosted: boolean
}

/** Whether it can take work now: a worker holds it and its link is not permanently down. */
export const isReachable = ({ hosted, state }: Pick<Session, 'hosted' | 'state'>): boolean =>
  hosted && state !== 'disconnected' && state !== 'logged_out'

/** Sandbox numbers begin with 999, a country code that is not assigned. */
export const SANDBOX_PREFIX = '999'
