import { proto, type WAMessage } from 'baileys'
import type { DeviceState } from '../device/device-state.ts'
import { messageItem, messageKey } from './inbox-item.ts'

/** Keeps a message that the phone was asked for, because it came without content. */
export function keepResent(
  { changes, recent }: Pick<DeviceState, 'changes' | 'recent'>,
  message: WAMessage,
  receivedAtMs: number,
  onDropped: (reason: string) => void,
): void {
  const { remoteJid, participant, id } = message.key ?? {}
  if (!remoteJid || !id) return onDropped('resent_without_key')
  const key = messageKey(remoteJid, participant, id)
  if (recent.get(key)) return
  try {
    const content = message.message ?? {}
    const bytes = proto.Message.encode(content).finish()
    const item = messageItem(message, { bytes, message: content }, key, receivedAtMs)
    recent.set(key, true)
    changes.add({ inbox: [item] })
  } catch {
    onDropped('resent_unreadable')
  }
}
