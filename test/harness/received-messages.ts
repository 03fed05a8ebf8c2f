import { type BinaryNode, proto, type WAMessage } from 'baileys'
import type { GatheredChange } from '../../src/platform/whatsapp/device/device-changes.ts'
import { HeavyWork } from '../../src/platform/whatsapp/engine/heavy-work.ts'
import { AwaitedMessages } from '../../src/platform/whatsapp/received/awaited-messages.ts'
import { CurrentMessage } from '../../src/platform/whatsapp/received/current-message.ts'
import type { MessageLibrary } from '../../src/platform/whatsapp/received/message-library.ts'
import { MessageTries } from '../../src/platform/whatsapp/received/message-tries.ts'
import { OwedConfirmations } from '../../src/platform/whatsapp/received/owed.ts'
import { ReceivedMessages, type ReceivedMessagesDeps } from '../../src/platform/whatsapp/received/received-messages.ts'
import type { InboxItem } from '../../src/platform/platform.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { ExpiringMap } from '../../src/runtime/expiring-map.ts'
import { Semaphore } from '../../src/runtime/semaphore.ts'

/** A ReceivedMessages with changes in memory; `handle` stands in for the library. */
export function received(
  handle: (current: CurrentMessage, stanza: BinaryNode) => Promise<void>,
  more: Partial<ReceivedMessagesDeps> & Partial<Pick<MessageLibrary, 'headOf'>> = {},
) {
  const current = new CurrentMessage()
  const entries: Array<GatheredChange | undefined> = []
  const dropped: string[] = []
  const acknowledged: string[] = []
  const counted = new Map<string, number>()
  let stuck = 0
  const messages = new ReceivedMessages({
    clock: systemClock,
    heavyWork: new HeavyWork(systemClock),
    suspects: new Semaphore(1),
    changes: {
      add: entry => void entries.push(entry),
      reserve: () => {
        const at = entries.push(undefined) - 1
        return { fill: entry => void (entries[at] ??= entry) }
      },
    },
    recent: new ExpiringMap<true>(1_000),
    tries: new MessageTries(counted, { recordTries: async () => {} }),
    known: async () => new Set(),
    otherNames: async () => new Map(),
    owed: new OwedConfirmations(),
    awaited: new AwaitedMessages(),
    current,
    library: {
      handle: stanza => handle(current, stanza),
      headOf: more.headOf ?? headOf,
      plainContentOf: () => undefined,
      acknowledge: async stanza => void acknowledged.push(stanza.attrs.id!),
      acknowledgeInEveryWay: async stanza => void acknowledged.push(`${stanza.attrs.id} in every way`),
      requestAgain: async () => {},
    },
    onDropped: reason => void dropped.push(reason),
    onStuck: () => void (stuck += 1),
    onError: () => {},
    timeoutMs: 1_000,
    ...more,
  })
  return {
    messages,
    dropped,
    acknowledged,
    counted,
    entries,
    stuck: () => stuck,
    items: (): InboxItem[] => entries.flatMap(entry => entry?.inbox ?? []),
  }
}

export function messageOf(id: string, attrs: Record<string, string> = {}): BinaryNode {
  return { tag: 'message', attrs: { id, from: '15550001111@s.whatsapp.net', ...attrs }, content: [] }
}

export function headOf({ attrs }: BinaryNode): WAMessage {
  return { key: { id: attrs.id!, remoteJid: attrs.from!, fromMe: false }, messageTimestamp: 1_700_000_000 }
}

export const plaintextOf = (message: proto.IMessage): Uint8Array =>
  Buffer.concat([proto.Message.encode(message).finish(), Buffer.of(1)])
