import type { PasskeyDemand } from '../passkey/demands.ts'
import type { BinaryNode } from '../wire/node.ts'
import { FaultQueue } from './fault-queue.ts'
import { PairingFaults } from './pairing-faults.ts'

/** A fault of the ack of a message. */
export type AckFault =
  | { readonly kind: 'withhold' }
  | { readonly kind: 'reject'; readonly error: number; readonly attrs?: Readonly<Record<string, string>> }
  | { readonly kind: 'delay'; readonly delayMs: number }
  | { readonly kind: 'hold'; readonly until: Promise<void> }

/** How a download of media goes wrong. */
export type MediaFault =
  | { readonly kind: 'status'; readonly status: number }
  /** The response begins when the promise resolves. */
  | { readonly kind: 'hold'; readonly until: Promise<void> }
  | { readonly kind: 'delay'; readonly delayMs: number }
  /** The server sends only the first bytes, then closes the connection. */
  | { readonly kind: 'cut'; readonly afterBytes: number }
  /** The server sends other bytes than those stored. */
  | { readonly kind: 'corrupt' }

/** Why a login fails, with further attributes of the failure. */
export interface LoginFailure {
  readonly reason: number
  readonly attrs: Readonly<Record<string, string>>
}

export interface Ban {
  readonly untilMs: number
  readonly lastsMs: number
  readonly code: string
  /** Whether a login has received it. */
  readonly isReported: boolean
  /** How many logins were attempted before its end. */
  readonly early: number
}

const PUSHED: ReadonlySet<string> = new Set(['message', 'receipt', 'notification', 'call'])

const isPushed = (stanza: BinaryNode): boolean => PUSHED.has(stanza.tag)

/** All planned faults. Times are in Unix milliseconds. */
export class Faults {
  readonly pairing = new PairingFaults()
  readonly acks = new FaultQueue<AckFault>()
  /** How many copies of the next stanza the server sends. */
  readonly copies = new FaultQueue<number>()
  readonly tampered = new FaultQueue<true>()
  readonly loginFailures = new FaultQueue<LoginFailure>()
  /** Bans of numbers; an early login restarts a ban. */
  readonly bans = new Map<string, Ban>()
  /** Devices of contacts that fail to read the next message; a phone is named by its digits. */
  readonly unreadable = new FaultQueue<true>()
  /** Devices whose next requests for a message that they could not read are lost. */
  readonly lostRetries = new FaultQueue<true>()
  readonly media: MediaFault[] = []
  /** How often a number has tried to log in. */
  readonly logins = new Map<string, number>()
  /** Until when the server refuses logins of a number. */
  readonly refusedUntil = new Map<string, number>()
  /** Until when a number may not start new chats, and the platform's name for it. */
  readonly restrictions = new Map<string, { readonly untilMs: number; readonly type: string }>()
  /** What the server reports of the new chats that a number may begin. */
  readonly newChats = new Map<string, Readonly<Record<string, unknown>>>()
  /** Passkey demands that override those given by a number's digits. */
  readonly passkeys = new Map<string, PasskeyDemand>()
  /** Real digits, by the digits that people write. */
  readonly correctedNumbers = new Map<string, string>()
  /** Numbers that must address phone numbers, against the rule. */
  readonly writesByNumber = new Set<string>()
  /** Until when every connection is refused. */
  closedUntil = 0
  /** Numbers whose receipts do not confirm messages. */
  readonly onlyAcks = new Set<string>()
  /** Contacts whose phone ignores retry requests. */
  readonly ignoresRetries = new Set<string>()
  /** Whether receipts in groups use the platform's form for several people. */
  groupsReceipts = false
  /** Contacts whose receipts are lost. */
  readonly lostReceipts = new Set<string>()
  /** Whether status posts use the tag `status`. */
  retagsStatus = false
  /** The numbers of the platform's flags that are on. */
  readonly flags = new Set<string>()
  /** Whether the server rejects connections that begin with routing information. */
  refusesRouting = false
  /** Numbers whose queries about groups fail with this code. */
  readonly refusedGroupQueries = new Map<string, number>()
  /** Numbers whose changes of groups are made and not answered. */
  readonly lostGroupAnswers = new Set<string>()
  /** By number and namespace: the error that its queries get. */
  readonly refusedQueries = new Map<string, number>()
  /** How many queries about groups a number has sent. */
  readonly groupQueries = new Map<string, number>()
  /** Numbers whose groups have changed in a way that their devices have not confirmed. */
  readonly dirtyGroups = new Set<string>()
  /** Numbers whose JSON queries get no response. */
  readonly silentQueries = new Set<string>()
  /** Numbers whose queries for the keys of people get no answer. */
  readonly silentKeys = new Set<string>()
  /** Ids of JSON queries that the platform no longer knows. */
  readonly retiredQueries = new Set<string>()
  /** Numbers whose phone is switched off: it uploads no file again. */
  readonly phonesOff = new Set<string>()
  /** Numbers whose phone sleeps, with what it does when it wakes up. */
  readonly asleepPhones = new Map<string, Array<() => void>>()
  /** The number of messages in each part of the history that a number's phone sends on request. */
  readonly historyParts = new Map<string, number>()
  /** How often a number has requested a file again from its phone. */
  readonly fileRequests = new Map<string, number>()
  /** Media servers that answer everything with this status. */
  readonly brokenMediaHosts = new Map<string, number>()
  /** How many more stanzas are pushed before the link is cut. */
  readonly cuts = new Map<string, number>()
  /** Numbers whose next messages arrive in another order, with the messages that wait for the others. */
  readonly reordered = new Map<string, { readonly order: readonly number[]; readonly waiting: BinaryNode[] }>()

  /** The stanzas that leave now for the number, in the order in which they arrive. */
  inOrder(digits: string, stanza: BinaryNode): BinaryNode[] {
    const plan = stanza.tag === 'message' ? this.reordered.get(digits) : undefined
    if (!plan) return [stanza]
    plan.waiting.push(stanza)
    if (plan.waiting.length < plan.order.length) return []
    this.reordered.delete(digits)
    return plan.order.map(place => plan.waiting[place]!)
  }

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
