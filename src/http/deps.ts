import type { SignInAttempts } from '../actions/sign-in/sign-in-attempts.ts'
import type { Context } from '../context.ts'
import type { Store } from '../store/store.ts'
import type { EventWaits } from './live/event-waits.ts'
import type { AuthThrottle } from './limits/auth-throttle.ts'
import type { LivePolls } from './live/live-polls.ts'
import type { RequestLimits } from './limits/request-limits.ts'
import type { SessionCache } from './session-cache.ts'
import type { SharedLimits } from './limits/shared-limits.ts'
import type { ToolLimit } from './limits/tool-limit.ts'
import type { FairScheduler } from './limits/fair-scheduler.ts'
import type { FileTransfers } from './limits/file-transfers.ts'

/** The dependencies of handlers: the shared context, and what the api role keeps in memory. */
export interface Deps
  extends Pick<
    Context,
    'config' | 'nodeId' | 'seal' | 'mediaFiles' | 'platformIds' | 'clock' | 'log' | 'metrics' | 'targets' | 'tracing'
  > {
  /** Every repository: each handler and each action names those that it uses. */
  store: Omit<Store, 'attach' | 'close'>
  sessions: SessionCache
  livePolls: LivePolls
  eventWaits: EventWaits
  toolLimit: ToolLimit
  requestLimits: RequestLimits
  sharedLimits: SharedLimits
  attempts: SignInAttempts
  authThrottle: AuthThrottle
  fileTransfers: FileTransfers
  /** One for the store, and one for the sandbox network, which may be slow independently of the store. */
  scheduler: { store: FairScheduler; sandbox: FairScheduler }
  /** The address that browsers and customers use. */
  publicUrl(): string
}
