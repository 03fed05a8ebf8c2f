import { expect, it } from 'vitest'
import { makeLog } from '../../observability/log.ts'
import type { InboxItem, PlatformReceipt } from '../../platform/platform.ts'
import { systemClock } from '../../runtime/clock.ts'
import { Seal } from '../../store/seal.ts'
import type { HeldLease } from '../held-lease.ts'
import { SentMessages } from '../sent-messages.ts'
import { DirectReceipts } from './direct-receipts.ts'

const [SESSION, PERSON, OTHER] = ['15550001@s.whatsapp.net', '15550002@s.whatsapp.net', '15550003@s.whatsapp.net']

const item = (chat: string, kind = 'receipt'): InboxItem => ({
  key: `${kind} ${chat}`,
  kind,
  chat,
  receivedAtMs: 0,
  body: new Uint8Array(0),
})

/** Every receipt reports that the person has received the message P1. */
function sorting(options: { waiting?: string; chatNames?: string[]; platformIds?: string[] } = {}) {
  const { waiting, chatNames = [PERSON], platformIds = ['P1'] } = options
  const sentMessages = new SentMessages({ store: {} as never, platformIds: {} as never })
  const message = { id: 'm1', accountId: 'a1', requestId: 'r1', platformId: 'P1', recipient: PERSON }
  sentMessages.remember(SESSION, { ...message, state: 'sent' })
  const receipt: PlatformReceipt = { platformIds, chatNames, recipientJid: PERSON, type: 'read', atMs: 5_000 }
  const dropped: string[] = []
  const receipts = new DirectReceipts({
    seal: new Seal([Buffer.alloc(32)]),
    clock: systemClock,
    log: makeLog('silent'),
    metrics: { stanza: (_: string, reason: string) => dropped.push(reason) } as never,
    tracing: null,
    heldLease: { sessionId: SESSION } as HeldLease,
    inbox: { mayHaveChat: chat => chat === waiting },
    sentMessages,
    interpretNow: () => ({ kind: 'receipts', receipts: [receipt] }),
  })
  return { receipts, sentMessages, dropped }
}

it('a receipt of a message in memory is recorded without an inbox item, and each of its steps once', () => {
  const { receipts, sentMessages, dropped } = sorting()
  const first = receipts.sort([item(PERSON)])
  expect(first.items).toEqual([])
  expect(first.receipts[0]!.steps.map(({ state }) => state)).toEqual(['delivered', 'read'])
  const published = new Set(first.receipts[0]!.steps.map(({ event }) => event.id))
  receipts.committed(first.receipts, published, 0)
  expect(sentMessages.inMemory(SESSION, 'P1')?.state).toBe('read')
  const again = receipts.sort([item(PERSON)])
  expect(again.receipts[0]!.steps.map(({ state }) => state)).toEqual(['read'])
  receipts.committed(again.receipts, new Set(), 0)
  expect(dropped).toEqual(['', 'receipt_repeated'])
})

it.each([
  ['of a chat with an unpublished item', { waiting: PERSON }, [item(PERSON)]],
  ['behind another item of its chat', {}, [item(PERSON, 'message'), item(PERSON)]],
  ['of a message that is not in memory', { platformIds: ['P1', 'P2'] }, [item(PERSON)]],
  ['from a person who did not get the message', { chatNames: [OTHER] }, [item(PERSON)]],
])('a receipt %s goes to the inbox', (_, options, items) => {
  const { receipts } = sorting(options)
  expect(receipts.sort(items)).toEqual({ items, receipts: [] })
})
