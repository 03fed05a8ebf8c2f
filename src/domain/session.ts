export type SessionState = 'connecting' | 'connected' | 'disconnected' | 'logged_out'
export type PlatformName = 'whatsapp' | 'sandbox'

/**
 * How direct messages address people: by hidden identifier if there is one (`auto`), by hidden identifier only (`lid`),
 * or by number if it is known (`pn`).
 */
export const ADDRESSINGS = ['auto', 'lid', 'pn'] as const
export type Addressing = (typeof ADDRESSINGS)[number]

/**
 * How contacts see the number: online while somebody needs what that brings, and offline otherwise (`auto`), or always
 * the same.
 */
export const APPEARANCES = ['auto', 'online', 'offline'] as const
export type Appear = (typeof APPEARANCES)[number]

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
  paceMs: number
  addressing: Addressing
  appear: Appear
  restrictedUntil: number | null
  /** Why it is not connected, in words for people, and when that ends, if the platform says so. */
  linkReason: string | null
  linkUntil: number | null
  createdAt: number
  connectedAt: number | null
  lastEventAt: number | null
  /** Whether a worker runs this session now, under a live lease. */
  hosted: boolean
}

/** Sandbox numbers begin with 999, a country code that is not assigned. */
export const SANDBOX_PREFIX = '999'
