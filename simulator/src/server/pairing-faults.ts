import { FaultQueue } from './fault-queue.ts'

/** What is planned to go wrong while numbers are linked, by the digits of the number. */
export class PairingFaults {
  /** The next scan fails, and the client has to replace the secret of its codes. */
  readonly swallowedScans = new FaultQueue<true>()
}
