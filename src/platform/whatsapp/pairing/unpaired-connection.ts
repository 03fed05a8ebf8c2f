import type { AuthenticationCreds, WABrowserDescription, WASocket } from 'baileys'
import type { Clock } from '../../../runtime/clock.ts'
import type { PairingRefused, PairingStep } from '../../platform.ts'
import type { UnpairedHandlers } from './unpaired-stanzas.ts'

/** A connection that is not linked yet, as the ways of linking see it. */
export interface UnpairedConnection {
  readonly clock: Clock
  readonly sock: WASocket
  /** The library's own: what is changed here counts at once. */
  readonly creds: AuthenticationCreds
  /** What the phone shows this device as. */
  readonly browser: WABrowserDescription
  /** Aborted when the phone has accepted, or the connection is over. */
  readonly over: AbortSignal
  onStep(step: PairingStep): void
  /** All codes of this connection were shown: the next one has others. */
  usedUp(): void
  /** Nothing can come of this connection, nor of any other: the pairing is over. */
  refuse(why: PairingRefused): void
}

/** A way to link: what it does with the platform's references, and what it hears. */
export type LinkingWay = UnpairedHandlers
