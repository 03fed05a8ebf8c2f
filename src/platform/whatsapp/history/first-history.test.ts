import { deflateSync } from 'node:zlib'
import { proto } from 'baileys'
import { expect, test } from 'vitest'
import { systemClock } from '../../../runtime/clock.ts'
import { HistoryUnreadable } from '../../platform.ts'
import type { SessionContext } from '../session-context.ts'
import { interpretFirstHistory } from './first-history.ts'

const MESSAGES = 45

/** More than one reading holds. All messages are too old to be events. */
function largePart(): proto.Message.IHistorySyncNotification {
  const text = 'x'.repeat(200 * 1024)
  const messages = Array.from({ length: MESSAGES }, (_, i) => ({
    message: { key: { id: `M${i}` }, message: { conversation: i < 2 ? text + text : text }, messageTimestamp: 1 },
  }))
  const conversations = [{ id: '5511950000001@s.whatsapp.net', messages }]
  const { INITIAL_BOOTSTRAP: syncType } = proto.HistorySync.HistorySyncType
  const bytes = deflateSync(proto.HistorySync.encode({ syncType, conversations }).finish(), { level: 1 })
  return { syncType, initialHistBootstrapInlinePayload: bytes }
}

function contextOf() {
  const dropped: string[] = []
  let slots = 0
  const link = {
    current: () => ({ sock: {} }),
    state: () => ({ changes: { areDurable: async () => true } }),
  }
  const context = {
    clock: systemClock,
    link,
    mediaRoute: { timeoutMs: 10_000 },
    heavyWork: { mayBegin: async () => void (slots += 1) },
    storage: { isIncluded: async () => true },
    callbacks: { onDropped: (reason: string) => dropped.push(reason) },
  } as unknown as SessionContext
  return { context, dropped, slots: () => slots }
}

const first = { id: 'job_1', isDone: false, left: 100, linkedAtMs: Date.now() }

test('a large part is read in turns, and messages that are too large are counted', async () => {
  const { context, dropped, slots } = contextOf()
  const { signal } = new AbortController()
  const meaning = await interpretFirstHistory(context, largePart(), first, signal)
  if (meaning.kind !== 'first_history') throw new Error(meaning.kind)
  const before = slots()
  for await (const slice of meaning.slices(signal)) expect(slice).toEqual([])
  expect(dropped).toEqual(['history_message_too_large', 'history_message_too_large'])
  expect(slots() - before).toBeGreaterThan(MESSAGES / 2)
})

test('a part that cannot be read to its end is no part that has ended', async () => {
  const { context } = contextOf()
  const { signal } = new AbortController()
  const part = largePart()
  const meaning = await interpretFirstHistory(context, part, first, signal)
  if (meaning.kind !== 'first_history') throw new Error(meaning.kind)
  part.initialHistBootstrapInlinePayload = Buffer.from('gone')
  await expect(meaning.slices(signal)[Symbol.asyncIterator]().next()).rejects.toThrow(HistoryUnreadable)
  expect(meaning.progress(false)).toMatchObject({ jobId: 'job_1', hasMore: true })
})
