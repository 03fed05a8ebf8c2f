import { FaultQueue } from './fault-queue.ts'

/** A fault while a code is typed on the phone. */
export type CodeFault =
  /** The platform has withdrawn the code. */
  | 'retired'
  /** Another phone sends its hello first. */
  | 'foreign_hello'
  /** The phone sends its hello twice and uses the second. */
  | 'repeated_hello'
  /** The server requires a new secret after the client has responded to the phone. */
  | 'refreshed_secret'

/** The platform's rejection of a request for a code. */
export interface HelloRefusal {
  readonly code: number
  readonly text: string
  /** How long to wait before the next request, in seconds. */
  readonly backoff?: string
}

/** Planned faults during linking, by the digits of the number. */
export class PairingFaults {
  /** The next scan fails, and the client has to replace the secret of its codes. */
  readonly swallowedScans = new FaultQueue<true>()
  /** The server rejects the next request for a pairing code. */
  readonly refusedCodes = new FaultQueue<HelloRefusal>()
  readonly typedCodes = new FaultQueue<CodeFault>()
}
