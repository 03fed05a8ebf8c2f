import type { Context } from '../context.ts'
import type { SessionCache } from './session-cache.ts'

/** What handlers work with: the shared context, and what the api role keeps in memory. */
export interface Parts extends Pick<Context, 'config' | 'store' | 'seal' | 'clock' | 'log' | 'metrics' | 'targets'> {
  sessions: SessionCache
  /** The address that browsers and customers use. */
  publicUrl(): string
}
