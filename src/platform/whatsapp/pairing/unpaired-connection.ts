import type { AuthenticationCreds, WABrowserDescription, WASocket } from 'baileys'
import type { Clock } from '../../../runtime/clock.ts'
import type { PairingRefused, PairingStep } from '../../platform.ts'
import type { UnpairedHandlers } from './unpaired-stanzas.ts'

/** A connection that is not linked yet, as used by the linking methods. */
export interface UnpairedConnection {
  readonly clock: Clock
  readonly sock: WASocket
  /** The library's own object: changes take effect immediately. */
  readonly creds: AuthenticationCreds
  /** How the phone shows this device. */
  readonly browser: WABrowserDescription
  /** Aborted when the phone has accepted, or the connection is over. */
  readonly over: AbortSignal
  onStep(step: PairingStep): void
  /** All codes of this connection were shown: the next connection gets new ones. */
  usedUp(): void
  /** Neither this connection nor another can succeed: the pairing is over. */
  refuse(why: PairingRefused): void
}

/** A linking method: how it handles the platform's references and notifications. */
export type LinkingMethod = UnpairedHandlers
