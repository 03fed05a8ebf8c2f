import { EventEmitter } from 'node:events'
import type { WASocket } from 'baileys'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { KeepAlive } from './keep-alive.ts'

const INTERVAL_MS = 20_000

let ws: EventEmitter
let pings = 0

beforeEach(() => {
  vi.useFakeTimers()
  ws = new EventEmitter()
  pings = 0
})
afterEach(() => {
  vi.useRealTimers()
})

function keepAlive(onSilent: (own: KeepAlive) => void): KeepAlive {
  const sendNode = async () => void pings++
  const sock = { ws, sendNode, generateMessageTag: () => '1' } as unknown as WASocket
  const own: KeepAlive = new KeepAlive(sock, INTERVAL_MS, () => onSilent(own))
  own.begin()
  return own
}

test('a link on which nothing arrives is pinged, and reported as silent', () => {
  const silent = vi.fn()
  const own = keepAlive(silent)
  vi.advanceTimersByTime(2 * INTERVAL_MS)
  expect([pings, silent.mock.calls.length > 0]).toEqual([1, true])
  own.end()
})

test('a link on which something arrives is not pinged', () => {
  const own = keepAlive(() => {})
  for (let i = 0; i < 10; i++) {
    vi.advanceTimersByTime(INTERVAL_MS / 2)
    ws.emit('frame')
  }
  expect(pings).toBe(0)
  own.end()
})

test('a link that ends because it is silent leaves no timer behind', () => {
  const silent = vi.fn((own: KeepAlive) => own.end())
  keepAlive(silent)
  vi.advanceTimersByTime(10 * INTERVAL_MS)
  expect([silent.mock.calls.length, vi.getTimerCount()]).toEqual([1, 0])
})
