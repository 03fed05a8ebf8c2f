import { toDigits } from './jid.ts'
import { userOf } from './people.ts'
import { type OddStanza, sayOddly } from './server/odd-stanzas.ts'
import type { Network } from './world/network.ts'

/** Makes things go wrong while a number receives. Numbers are digits or JIDs. */
export class ReceivingFaultControl {
  readonly #network: Network

  constructor(network: Network) {
    this.#network = network
  }

  /** The server takes nothing but acks for messages to the number, as some have reported of it, or receipts again. */
  takeOnlyAcks(number: string, only: boolean): void {
    const { onlyAcks } = this.#network.faults
    if (only) onlyAcks.add(toDigits(number))
    else onlyAcks.delete(toDigits(number))
  }

  /** The phone of a contact does not answer who asks for a message again, or does. */
  ignoreRetries(contact: string, ignores: boolean): void {
    const { ignoresRetries } = this.#network.faults
    if (ignores) ignoresRetries.add(toDigits(contact))
    else ignoresRetries.delete(toDigits(contact))
  }

  /** Receipts in groups come in the form in which the platform tells of many together, or no longer do. */
  groupReceipts(groups: boolean): void {
    this.#network.faults.groupsReceipts = groups
  }

  /** Status posts come under a tag of their own instead of as messages, or no longer do. */
  retagStatus(retags: boolean): void {
    this.#network.faults.retagsStatus = retags
  }

  /** Says something that few clients expect to each device of the number; the ids of what was said. */
  sayOddly(number: string, odd: OddStanza): string[] {
    return [...userOf(this.#network, toDigits(number)).devices.values()].map(device =>
      sayOddly(this.#network, device, odd),
    )
  }
}
