import { type BinaryNode, getBinaryNodeChild } from 'baileys'
import { STATUS_BROADCAST, withoutDevice } from '../../../domain/jid.ts'

/** A device asks for a message that it could not read. */
export interface RetryRequest {
  readonly id: string
  /** The device, as it names itself. */
  readonly asker: string
  /** The chat that the message was sent to. */
  readonly chat: string
  /** Whether the chat has members, each with a key of the sender's. */
  readonly hasMembers: boolean
  /** Where a device of the number itself asks, whom the message was for. */
  readonly recipient: string | undefined
  /** How often it has asked. */
  readonly count: number
  readonly at: string | undefined
}

export function readRetryRequest(stanza: BinaryNode): RetryRequest | undefined {
  const { id, from, participant, recipient, t } = stanza.attrs
  if (!id || !from) return undefined
  const hasMembers = from.endsWith('@g.us') || from === STATUS_BROADCAST
  const asker = hasMembers ? (participant ?? from) : from
  // Whoever asks in a direct chat asks for itself.
  if (!hasMembers && participant !== undefined) return undefined
  const chat = hasMembers ? from : withoutDevice(recipient ?? from)
  const count = Math.max(1, Number(getBinaryNodeChild(stanza, 'retry')?.attrs.count) || 1)
  return { id, asker, chat, hasMembers, recipient, count, at: t }
}
