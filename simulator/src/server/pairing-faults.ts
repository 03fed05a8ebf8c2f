import { FaultQueue } from './fault-queue.ts'

/** What goes wrong when a code is typed on the phone. */
export type CodeFault =
  /** The platform has taken the code back. */
  | 'retired'
  /** Somebody else's phone says hello first. */
  | 'foreign_hello'
  /** The phone says hello twice, and goes by the second. */
  | 'repeated_hello'
  /** The client is asked to replace the secret of its codes after it has answered the phone. */
  | 'refreshed_secret'

/** Why a code is not given, as the platform says it. */
export interface HelloRefusal {
  readonly code: number
  readonly text: string
  /** How long to wait before asking again, in seconds. */
  readonly backoff?: string
}

/** What is planned to go wrong while numbers are linked, by the digits of the number. */
export class PairingFaults {
  /** The next scan fails, and the client has to replace the secret of its codes. */
  readonly swallowedScans = new FaultQueue<true>()
  /** The next request for a code to type is refused. */
  readonly refusedCodes = new FaultQueue<HelloRefusal>()
  readonly typedCodes = new FaultQueue<CodeFault>()
}
