import { setImmediate as nextRound } from 'node:timers/promises'
import { createOutbox, enqueue } from '@postern/simulator/server/outbox'
import { node } from '@postern/simulator/wire/node'
import type { LinkedDevice } from '@postern/simulator/world/device'
import { expect, test } from 'vitest'
import { watchLinks } from './harness/wire-fuzz/link-watch.ts'
import { settle } from './harness/wire-fuzz/settle.ts'

const OWN = '999200000000@s.whatsapp.net'
const ANSWER = node('message', { id: 'X', from: OWN, category: 'peer', type: 'text' }, [node('enc', { type: 'msg' })])

/** The number's own phone received a request, and answers `during` the last wait. */
async function unconfirmedAfter(during: 'is confirmed' | 'is never confirmed'): Promise<string[]> {
  const device = { digits: '999200000000', outbox: createOutbox() } as unknown as LinkedDevice
  const { outbox } = device
  const links = watchLinks([device])
  let isAnswered = false
  const pause = async (): Promise<void> => {
    await nextRound()
    if (isAnswered && during === 'is confirmed') outbox.entries.clear()
    if (!isAnswered) enqueue(outbox, '000000000001', ANSWER)
    isAnswered = true
  }
  await settle({ links, missing: () => 0, delivered: () => 0, stuckMs: 30, pause })
  return links.report().unconfirmed
}

test('a stanza sent shortly before the end is waited for like any other', async () => {
  expect(await unconfirmedAfter('is confirmed')).toEqual([])
})

test('a stanza that is never confirmed is named with its sender, its age, and how often it was sent', async () => {
  expect(await unconfirmedAfter('is never confirmed')).toEqual([
    expect.stringMatching(
      /^an ordinary message \(id X, type text, category peer, from 999200000000@.*, enc msg\), (\d+\.\d s old|just said), 1 of its id$/,
    ),
  ])
})
