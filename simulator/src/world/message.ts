import type { proto } from 'baileys'
import type { Addressing, DeviceAddress } from '../jid.ts'

/** How a receipt for a message is addressed. */
export interface ReceiptRoute {
  readonly from: string
  readonly participant?: string | undefined
}

/** A message that a phone holds, decrypted. */
export interface HeldMessage {
  readonly id: string
  /** The other's digits, or the JID of a group or broadcast. */
  readonly chat: string
  /** Digits of the sender. */
  readonly from: string
  readonly fromMe: boolean
  readonly timestamp: number
  /** When it arrived, in Unix milliseconds. */
  readonly atMs: number
  readonly message: proto.IMessage
  /** The owner on whose behalf it was sent. */
  readonly owner?: string
  /** How often it arrived; more than once means that the sender sent it again. */
  copies: number
  read: boolean
  played: boolean
  readonly sender: DeviceAddress
  readonly route: ReceiptRoute
  /** The key in the journal under which it is saved. */
  readonly savedAs: string
}

export type Tick = 'delivered' | 'read' | 'played'

/** Why a device gets a placeholder instead of a message. */
export type Withheld = 'plain' | 'view_once' | 'hosted' | 'bot'

/** What does not change when the message is sent again. */
export interface OutgoingHead {
  readonly addressing: Addressing
  readonly notify: string
  readonly edit?: string
  readonly category?: string
  /** Whether the group hides the sender's number. */
  readonly hidden?: boolean
  /** Devices get a placeholder instead. */
  readonly withheld?: Withheld
}

/** A message that a phone has sent, kept because a device may request it again. */
export interface SentMessage {
  readonly id: string
  /** The other's digits, or the JID of a group or broadcast. */
  readonly chat: string
  readonly timestamp: number
  /** When it was sent, in Unix milliseconds. */
  readonly atMs: number
  readonly content: Uint8Array
  /** The owner on whose behalf it was sent. */
  readonly owner?: string
  readonly head: OutgoingHead
  /** The last receipt of each recipient, by digits. */
  readonly ticks: Map<string, Tick>
}

/** A call that a phone makes. */
export interface CallRecord {
  readonly id: string
  /** Digits of the number called. */
  readonly to: string
  readonly video: boolean
  state: 'ringing' | 'rejected' | 'ended'
}
