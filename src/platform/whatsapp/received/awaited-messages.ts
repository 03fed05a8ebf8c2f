import { proto, type WAMessage } from 'baileys'
import { digitsOf } from '../../../domain/jid.ts'
import { ExpiringMap } from '../../../runtime/expiring-map.ts'
import type { DeviceChanges } from '../device/device-changes.ts'
import { messageItem, messageKey } from './inbox-item.ts'

/** A message that could not be decrypted, with the key that its content is stored under when it is resent. */
export interface Awaited {
  key: string
  head: WAMessage
}

const MAX_AWAITED = 1_000

/**
 * Messages that could not be decrypted are requested from the sender and from the phone of the number. The phone may
 * use other names than the stanza did, so its response is matched by message id.
 */
export class AwaitedMessages {
  readonly #byId = new ExpiringMap<readonly Awaited[]>(MAX_AWAITED)

  add(awaited: Awaited): void {
    const id = awaited.head.key.id ?? ''
    const others = (this.#byId.get(id) ?? []).filter(({ key }) => key !== awaited.key)
    this.#byId.set(id, [...others, awaited])
  }

  /** Senders choose ids, so of several messages with the same id this returns the one in the same chat. */
  find({ id, remoteJid }: WAMessage['key']): Awaited | undefined {
    const awaited = this.#byId.get(id ?? '') ?? []
    if (awaited.length < 2) return awaited[0]
    const isThere = (jid: string | null | undefined): boolean => !!jid && digitsOf(jid) === digitsOf(remoteJid ?? '')
    return awaited.find(({ head }) => isThere(head.key.remoteJid) || isThere(head.key.remoteJidAlt))
  }
}

interface Resending {
  changes: Pick<DeviceChanges, 'add'>
  recent: Pick<ExpiringMap<true>, 'get' | 'set'>
  awaited: Pick<AwaitedMessages, 'find'>
}

/** Stores a message that the phone resent because it first came without content. */
export function keepResent(
  { changes, recent, awaited }: Resending,
  resent: WAMessage,
  receivedAtMs: number,
  onDropped: (reason: string) => void,
): void {
  const { remoteJid, participant, id } = resent.key ?? {}
  if (!remoteJid || !id) return onDropped('resent_without_key')
  // Storing it without content would block the content that the sender resends.
  const content = resent.message
  if (!content) return onDropped('resent_empty')
  const { key, head } = awaited.find(resent.key) ?? { key: messageKey(remoteJid, participant, id), head: resent }
  if (recent.get(key)) return
  try {
    const message = { ...head, messageTimestamp: resent.messageTimestamp ?? head.messageTimestamp ?? null }
    const bytes = proto.Message.encode(content).finish()
    const item = messageItem(message, { bytes, message: content }, key, receivedAtMs)
    recent.set(key, true)
    changes.add({ inbox: [item] })
  } catch {
    onDropped('resent_unreadable')
  }
}
