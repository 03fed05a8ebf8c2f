import { proto, type WAMessage } from 'baileys'
import type { DeviceState } from '../device/device-state.ts'
import { messageItem, messageKey } from './inbox-item.ts'

/** Keeps a message that the phone was asked for, because it came without content. */
export function keepResent(
  { journal, recent }: Pick<DeviceState, 'journal' | 'recent'>,
  message: WAMessage,
  onDropped: (reason: string) => void,
): void {
  const { remoteJid, participant, id } = message.key ?? {}
  if (!remoteJid || !id) return onDropped('resent_without_key')
  const key = messageKey(remoteJid, participant, id)
  if (recent.get(key)) return
  try {
    const content = message.message ?? {}
    const item = messageItem(message, { bytes: proto.Message.encode(content).finish(), message: content }, key)
    recent.set(key, true)
    journal.append({ inbox: [item] })
  } catch {
    onDropped('resent_unreadable')
  }
}
