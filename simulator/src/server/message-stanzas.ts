import { type Addressing, SERVER_JID } from '../jid.ts'
import { type BinaryNode, integerBytes, node } from '../wire/node.ts'
import type { Withheld } from '../world/message.ts'

/** One encrypted part of a message stanza. */
export interface EncryptedPart {
  readonly type: 'pkmsg' | 'msg' | 'skmsg'
  readonly body: Uint8Array
  /** How often the message was requested again. */
  readonly count?: number
  readonly mediaType?: string
}

export interface MessageHead {
  readonly id: string
  readonly t: string
  /** `text`, `media`, `reaction`, `poll`, … */
  readonly type: string
  readonly notify: string
  /** The public name of the sender. */
  readonly username?: string
  /** The chat: a person's device, a group, a broadcast list or status. */
  readonly from: string
  readonly participant?: string
  readonly addressing?: Addressing
  /** The sender under the other addressing. */
  readonly senderAlt?: string
  /** For a copy from another own device: the chat that the message was sent to, and its alternative name. */
  readonly recipient?: string
  readonly recipientAlt?: string | undefined
  readonly category?: string
  readonly edit?: string
  readonly withheld?: Withheld
}

function alternative(head: MessageHead): Record<string, string | undefined> {
  const kind = head.addressing === 'lid' ? 'pn' : 'lid'
  if (head.recipient !== undefined) return { [`peer_recipient_${kind}`]: head.recipientAlt }
  return { [`${head.participant === undefined ? 'sender' : 'participant'}_${kind}`]: head.senderAlt }
}

function encrypted(part: EncryptedPart): BinaryNode {
  const attributes = { v: '2', type: part.type, count: part.count?.toString(), mediatype: part.mediaType }
  return node('enc', attributes, part.body)
}

export function message(head: MessageHead, parts: readonly EncryptedPart[]): BinaryNode {
  const { id, t, type, notify, from, participant, recipient, category, edit } = head
  const attributes = { from, participant, recipient, id, t, type, notify: notify || undefined, category, edit }
  const mode = { addressing_mode: head.addressing, ...alternative(head) }
  const named = { [participant === undefined ? 'username' : 'participant_username']: head.username }
  const content = head.withheld === undefined ? parts.map(encrypted) : stub(head.withheld)
  return node('message', { ...attributes, ...mode, ...named }, content)
}

/** The placeholder for a device that may not see a message. */
function stub(withheld: Withheld): BinaryNode[] {
  const type = withheld === 'view_once' ? withheld : undefined
  const unavailable = node('unavailable', { type, hosted: withheld === 'hosted' ? 'true' : undefined })
  return withheld === 'bot' ? [node('bot', { edit: 'full' }), unavailable] : [unavailable]
}

export interface ReceiptHead {
  readonly id: string
  readonly t: string
  readonly from: string
  readonly type?: string | undefined
  readonly participant?: string | undefined
  readonly recipient?: string | undefined
}

export function receipt(head: ReceiptHead, content?: BinaryNode[]): BinaryNode {
  const { from, participant, recipient, id, t, type } = head
  return node('receipt', { from, participant, recipient, id, t, type }, content)
}

export interface RetryRequest extends ReceiptHead {
  readonly count: number
  readonly sentAt: string
  readonly registrationId: number
  readonly keys: BinaryNode[] | undefined
}

export function retryReceipt(request: RetryRequest): BinaryNode {
  const { count, id, sentAt, keys } = request
  const content = [
    node('retry', { count: String(count), id, t: sentAt, v: '1' }),
    node('registration', {}, integerBytes(request.registrationId, 4)),
  ]
  if (keys) content.push(node('keys', {}, keys))
  return receipt({ ...request, type: 'retry' }, content)
}

export interface ChannelPost {
  readonly channel: string
  readonly id: string
  readonly serverId: number
  readonly t: string
  readonly type: string
  readonly plaintext: Uint8Array
}

/** `edit`: the post replaces an earlier one with its id, or removes it. */
export function channelMessage(post: ChannelPost, edit?: string): BinaryNode {
  const { channel, id, serverId, t, type } = post
  const attributes = { from: channel, id, server_id: String(serverId), t, type, edit }
  return node('message', attributes, [node('plaintext', {}, post.plaintext)])
}

/** The same post as a live update, which may contain only ids. */
export function channelUpdate(stanzaId: string, post: ChannelPost): BinaryNode {
  const { channel, id, serverId, t, type } = post
  const content = post.plaintext.length === 0 ? [] : [node('plaintext', {}, post.plaintext)]
  const update = node('message', { id, server_id: String(serverId), t, type }, content)
  const messages = node('messages', { jid: channel, t }, [update])
  return node('notification', { from: channel, type: 'newsletter', id: stanzaId, t }, [
    node('live_updates', {}, [messages]),
  ])
}

/** Notifies a device of a change, as JSON. */
export function update(id: string, t: string, operation: string, data: Readonly<Record<string, unknown>>): BinaryNode {
  const body = Buffer.from(JSON.stringify({ data }))
  return node('notification', { from: SERVER_JID, type: 'mex', id, t }, [node('update', { op_name: operation }, body)])
}

export interface MediaRetry {
  readonly id: string
  readonly t: string
  readonly from: string
  readonly chat: string
  readonly participant: string | undefined
  readonly encrypted: { readonly body: Uint8Array; readonly iv: Uint8Array } | undefined
}

/** The phone's response to a device that could not download: the new path, or that the file is lost. */
export function mediaRetry(retry: MediaRetry): BinaryNode {
  const { id, t, from, chat, participant } = retry
  const content = [node('rmr', { jid: chat, from_me: 'false', participant })]
  if (retry.encrypted) {
    const parts = [node('enc_p', {}, retry.encrypted.body), node('enc_iv', {}, retry.encrypted.iv)]
    content.push(node('encrypt', {}, parts))
  } else content.push(node('error', { code: '2' }))
  return node('notification', { from, type: 'mediaretry', id, t }, content)
}
