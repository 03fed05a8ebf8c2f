import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { OfflineBatches } from './offline-batches.ts'

function batches() {
  const state = { asks: 0, waiting: 0 }
  let quiet = (): void => {}
  const sleep = (ms: number) => (ms > 1_000 ? new Promise<void>(resolve => (quiet = resolve)) : turn())
  const clock = { sleep }
  const offline = new OfflineBatches(
    clock,
    async () => void (state.asks += 1),
    () => state.waiting,
  )
  const come = async (count: number) => {
    for (let i = 0; i < count; i++) {
      offline.arrived()
      await turn()
      await turn()
    }
    return state.asks
  }
  const stayQuiet = async () => {
    quiet()
    for (let i = 0; i < 4; i++) await turn()
    return state.asks
  }
  return { state, offline, come, stayQuiet }
}

it('the first stanza of each batch requests the next, and the others do not', async () => {
  const { offline, come } = batches()
  offline.begin()
  expect(await come(1)).toBe(1)
  expect(await come(99)).toBe(1)
  expect(await come(1)).toBe(2)
  expect(await come(199)).toBe(2)
  expect(await come(1)).toBe(3)
})

it('no batch is requested while many messages are queued', async () => {
  const { state, offline, come } = batches()
  state.waiting = 400
  offline.begin()
  expect(await come(50)).toBe(0)
  state.waiting = 399
  await turn()
  await turn()
  expect(state.asks).toBe(1)
  offline.end()
})

it('a batch that is smaller than requested is followed by another request', async () => {
  const { offline, come, stayQuiet } = batches()
  offline.begin()
  expect(await come(40)).toBe(1)
  expect(await stayQuiet()).toBe(2)
  expect(await stayQuiet()).toBe(2)
  expect(await come(1)).toBe(3)
})

it('no batch is requested without offline messages, nor after the end', async () => {
  const { offline, come } = batches()
  expect(await come(3)).toBe(0)
  offline.begin()
  offline.end()
  expect(await come(3)).toBe(0)
})
