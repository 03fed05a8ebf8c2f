import { toDigits } from './jid.ts'
import type { CodeFault, HelloRefusal } from './server/pairing-faults.ts'
import type { Network } from './world/network.ts'

/** Injects faults during linking. Numbers are digits or JIDs. */
export class PairingFaultControl {
  readonly #network: Network

  constructor(network: Network) {
    this.#network = network
  }

  /** The number's next scans fail, and the client has to replace the secret of its codes each time. */
  swallowScans(number: string, times?: number): void {
    this.#network.faults.pairing.swallowedScans.plan(toDigits(number), true, times)
  }

  /** The server rejects the next requests for a pairing code of the number. */
  refuseCodes(number: string, refusal: HelloRefusal, times?: number): void {
    this.#network.faults.pairing.refusedCodes.plan(toDigits(number), refusal, times)
  }

  /** What happens when the next code is typed on the number's phone. */
  spoilCode(number: string, fault: CodeFault): void {
    this.#network.faults.pairing.typedCodes.plan(toDigits(number), fault)
  }
}
