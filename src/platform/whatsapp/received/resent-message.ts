import { proto, type WAMessage } from 'baileys'
import type { DeviceState } from '../device/device-state.ts'
import { messageItem, messageKey } from './inbox-item.ts'

/** Keeps a message that the phone was asked for, because it came without content. */
export function keepResent(
  { changes, recent, awaited }: Pick<DeviceState, 'changes' | 'recent' | 'awaited'>,
  resent: WAMessage,
  receivedAtMs: number,
  onDropped: (reason: string) => void,
): void {
  const { remoteJid, participant, id } = resent.key ?? {}
  if (!remoteJid || !id) return onDropped('resent_without_key')
  // One that is kept empty would stand in the way of what its sender sends again.
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
