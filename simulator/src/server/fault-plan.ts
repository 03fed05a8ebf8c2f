import type { PasskeyDemand } from '../passkey/demands.ts'
import type { BinaryNode } from '../wire/node.ts'
import { FaultQueue } from './fault-queue.ts'
import { PairingFaults } from './pairing-faults.ts'

/** What happens to the ack of a message instead of the usual. */
export type AckFault =
  | { readonly kind: 'withhold' }
  | { readonly kind: 'reject'; readonly error: number; readonly attrs?: Readonly<Record<string, string>> }
  | { readonly kind: 'delay'; readonly delayMs: number }
  | { readonly kind: 'hold'; readonly until: Promise<void> }

/** How a download of media goes wrong. */
export type MediaFault =
  | { readonly kind: 'status'; readonly status: number }
  /** The answer begins when the test says so. */
  | { readonly kind: 'hold'; readonly until: Promise<void> }
  | { readonly kind: 'delay'; readonly delayMs: number }
  /** Only the first bytes come, then the link ends. */
  | { readonly kind: 'cut'; readonly afterBytes: number }
  /** The bytes are not the ones that were stored. */
  | { readonly kind: 'corrupt' }

/** Why a login fails, with what else the platform says about it. */
export interface LoginFailure {
  readonly reason: number
  readonly attrs: Readonly<Record<string, string>>
}

export interface Ban {
  readonly untilMs: number
  readonly lastsMs: number
  readonly code: string
  /** Somebody has been told of it. */
  readonly isTold: boolean
  /** How often somebody came before its end. */
  readonly early: number
}

const PUSHED: ReadonlySet<string> = new Set(['message', 'receipt', 'notification', 'call'])

const isPushed = (stanza: BinaryNode): boolean => PUSHED.has(stanza.tag)

/** Everything that is planned to go wrong. Times are in Unix milliseconds. */
export class Faults {
  readonly pairing = new PairingFaults()
  readonly acks = new FaultQueue<AckFault>()
  /** Copies in which the next stanza is pushed. */
  readonly copies = new FaultQueue<number>()
  readonly tampered = new FaultQueue<true>()
  readonly loginFailures = new FaultQueue<LoginFailure>()
  /** Until when a number is banned; a login before makes it longer. */
  readonly bans = new Map<string, Ban>()
  /** Devices of contacts that claim not to be able to read the next message; phones go by their digits. */
  readonly unreadable = new FaultQueue<true>()
  /** Devices whose next requests for a message that they could not read are lost. */
  readonly lostRetries = new FaultQueue<true>()
  readonly media: MediaFault[] = []
  /** How often a number has tried to log in. */
  readonly logins = new Map<string, number>()
  /** Until when logins of a number end at once. */
  readonly refusedUntil = new Map<string, number>()
  /** Until when a number may write to nobody new. */
  readonly restrictedUntil = new Map<string, number>()
  /** What a number's passkey is asked for, where that is not told by its digits. */
  readonly passkeys = new Map<string, PasskeyDemand>()
  /** Numbers that are taken only where they write to numbers, against the rule. */
  readonly writesByNumber = new Set<string>()
  /** Until when every connection is refused. */
  closedUntil = 0
  /** Numbers whose receipts for messages are not taken. */
  readonly onlyAcks = new Set<string>()
  /** Contacts whose phone does not send again what was asked for. */
  readonly ignoresRetries = new Set<string>()
  /** Receipts in groups come as the platform sends many of them together. */
  groupsReceipts = false
  /** Status posts have a tag of their own. */
  retagsStatus = false
  /** Whoever comes with routing information is not understood. */
  refusesRouting = false
  /** Numbers whose queries that travel as JSON get no answer. */
  readonly silentQueries = new Set<string>()
  /** Numbers whose phone is switched off: nobody puts up a file again for them. */
  readonly phonesOff = new Set<string>()
  /** How often a number has asked its phone for a file. */
  readonly fileRequests = new Map<string, number>()
  /** Media servers that answer everything with this status. */
  readonly brokenMediaHosts = new Map<string, number>()
  /** How many more stanzas are pushed before the link is cut. */
  readonly cuts = new Map<string, number>()

  takeCopies(digits: string, stanza: BinaryNode): number {
    return isPushed(stanza) ? (this.copies.take(digits) ?? 1) : 1
  }

  cutsAfter(digits: string, stanza: BinaryNode): boolean {
    const left = this.cuts.get(digits)
    if (left === undefined || !isPushed(stanza)) return false
    if (left > 1) {
      this.cuts.set(digits, left - 1)
      return false
    }
    this.cuts.delete(digits)
    return true
  }
}
