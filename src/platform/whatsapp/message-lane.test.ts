import type { BinaryNode } from 'baileys'
import { expect, it } from 'vitest'
import { createBoundedCache } from './bounded-cache.ts'
import { createMessageLane } from './message-lane.ts'

const nothing = (): void => {}

it('a backlog of messages leaves turns of the event loop to everything else', async () => {
  const handled: string[] = []
  const lane = createMessageLane({
    journal: { append: nothing, reserve: () => ({ fill: nothing }) },
    recent: createBoundedCache<true>(1_000),
    known: async () => new Set(),
    handle: async stanza => void handled.push(stanza.attrs.id!),
    acknowledge: async () => {},
    onDropped: nothing,
    onStuck: nothing,
    onUnfinished: nothing,
    onError: nothing,
    timeoutMs: 1_000,
  })
  const handledPerTurn: number[] = []
  let before = 0
  const watch = (): void => {
    handledPerTurn.push(handled.length - before)
    before = handled.length
    if (handled.length < 300) setImmediate(watch)
  }
  for (let i = 0; i < 300; i++) lane.push(messageOf(`ID${i}`))
  watch()
  await lane.idle()
  expect(handled).toHaveLength(300)
  expect(Math.max(...handledPerTurn)).toBeLessThanOrEqual(16)
})

function messageOf(id: string): BinaryNode {
  return { tag: 'message', attrs: { id, from: '15550001111@s.whatsapp.net' }, content: [] }
}
