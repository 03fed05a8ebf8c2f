import type { AskParts } from '../actions/ask.ts'
import type { SignInAttempts } from '../actions/sign-in-attempts.ts'
import type { Context } from '../context.ts'
import type { Store } from '../store/store.ts'
import type { EventWaits } from './event-waits.ts'
import type { Guesses } from './guesses.ts'
import type { LivePolls } from './live-polls.ts'
import type { RequestLimits } from './request-limits.ts'
import type { SessionCache } from './session-cache.ts'
import type { SharedLimits } from './shared-limits.ts'
import type { ToolLimit } from './tool-limit.ts'
import type { Turns } from './turns.ts'

/** What handlers work with: the shared context, and what the api role keeps in memory. */
export interface Parts
  extends Pick<Context, 'config' | 'nodeId' | 'seal' | 'clock' | 'log' | 'metrics' | 'targets' | 'tracing'> {
  /** The doors of the handlers, and those that an action asks a worker or the sandbox through. */
  store: AskParts['store'] &
    Pick<
      Store,
      | 'accounts'
      | 'listening'
      | 'messages'
      | 'nodes'
      | 'now'
      | 'sandbox'
      | 'sessions'
      | 'tracing'
      | 'users'
      | 'webhooks'
    >
  sessions: SessionCache
  livePolls: LivePolls
  eventWaits: EventWaits
  toolLimit: ToolLimit
  requestLimits: RequestLimits
  sharedLimits: SharedLimits
  attempts: SignInAttempts
  guesses: Guesses
  /** At the store, and at the sandbox's network, which may be slow by itself. */
  turns: { store: Turns; sandbox: Turns }
  /** The address that browsers and customers use. */
  publicUrl(): string
}
