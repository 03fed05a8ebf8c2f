import type { Socket } from 'node:net'
import { afterEach, expect } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { createTargetPolicy, parseRanges, type TargetPolicyOptions } from '../../src/net/address-guard.ts'
import { createOutbound, type Outbound, type OutboundOptions } from '../../src/net/outbound.ts'
import { rawReceiver } from './hostile-receiver.ts'
import { ownMs } from './own-time.ts'

export const timeoutMs = 1500
// Two cores shared with everything else that runs; the deadline itself is exact to a few milliseconds when idle.
const slackMs = 800

/** Run after each test, last one first. */
export const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** The door to addresses that customers chose, with the loopback allowed and a short deadline. */
export function outboundTo(
  options: Partial<OutboundOptions> = {},
  policy: Partial<TargetPolicyOptions> = {},
): Outbound {
  const allowedRanges = parseRanges(['127.0.0.0/8', '::1/128'])
  const outbound = createOutbound(
    createTargetPolicy({ clock: systemClock, requireHttps: false, allowedRanges, ...policy }),
    {
      clock: systemClock,
      timeoutMs,
      dnsBudgetMs: 400,
      ...options,
    },
  )
  cleanups.push(outbound.close)
  return outbound
}

export const request = { headers: { 'content-type': 'application/json' }, body: Buffer.from('{"kind":"message"}') }

/** Posts, and holds every answer to the deadline and to the size of what is shown of it. */
export async function postTo(url: string, outbound = outboundTo()) {
  const startedAt = ownMs()
  const answer = await outbound.post({ ...request, url })
  const tookMs = ownMs() - startedAt
  expect(tookMs).toBeLessThan(timeoutMs + slackMs)
  expect(Buffer.byteLength(answer.excerpt)).toBeLessThanOrEqual(1024)
  return answer
}

export async function postToRaw(behave: (socket: Socket) => void, onConnect = false) {
  const receiver = await rawReceiver(behave, { onConnect })
  cleanups.push(receiver.close)
  const outbound = outboundTo()
  const answer = await postTo(receiver.url, outbound)
  await outbound.close()
  return answer
}

export const head = 'HTTP/1.1 200 OK\r\n'
