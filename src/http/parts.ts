import type { SignInAttempts } from '../actions/sign-in-attempts.ts'
import type { Context } from '../context.ts'
import type { RequestLimits } from './request-limits.ts'
import type { SessionCache } from './session-cache.ts'
import type { ToolLimit } from './tool-limit.ts'

/** What handlers work with: the shared context, and what the api role keeps in memory. */
export interface Parts extends Pick<Context, 'config' | 'store' | 'seal' | 'clock' | 'log' | 'metrics' | 'targets'> {
  sessions: SessionCache
  toolLimit: ToolLimit
  requestLimits: RequestLimits
  attempts: SignInAttempts
  /** The address that browsers and customers use. */
  publicUrl(): string
}
