import { toDigits } from './jid.ts'
import { userOf } from './people.ts'
import { type OddStanza, sayOddly } from './server/odd-stanzas.ts'
import type { Network } from './world/network.ts'

/** Injects faults while a number receives messages. Numbers are digits or JIDs. */
export class ReceivingFaultControl {
  readonly #network: Network

  constructor(network: Network) {
    this.#network = network
  }

  /** Decides whether the server accepts only acks for messages to the number, as users have reported. */
  takeOnlyAcks(number: string, only: boolean): void {
    const { onlyAcks } = this.#network.faults
    if (only) onlyAcks.add(toDigits(number))
    else onlyAcks.delete(toDigits(number))
  }

  /** Decides whether the contact's phone ignores retry requests. */
  ignoreRetries(contact: string, ignores: boolean): void {
    const { ignoresRetries } = this.#network.faults
    if (ignores) ignoresRetries.add(toDigits(contact))
    else ignoresRetries.delete(toDigits(contact))
  }

  /** Decides whether receipts in groups come in the platform's form for several people. */
  groupReceipts(groups: boolean): void {
    this.#network.faults.groupsReceipts = groups
  }

  /** Decides whether status posts come with the tag `status` instead of `message`. */
  retagStatus(retags: boolean): void {
    this.#network.faults.retagsStatus = retags
  }

  /** Sends a stanza that few clients expect to each device of the number; returns the stanza ids. */
  sayOddly(number: string, odd: OddStanza): string[] {
    return [...userOf(this.#network, toDigits(number)).devices.values()].map(device =>
      sayOddly(this.#network, device, odd),
    )
  }
}
