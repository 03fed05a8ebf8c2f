import type { Socket } from 'node:net'
import { afterEach, expect } from 'vitest'
import { systemClock } from '../../src/runtime/clock.ts'
import { createTargetPolicy, parseRanges, type TargetPolicyOptions } from '../../src/net/address-guard.ts'
import { createOutbound, type Outbound, type OutboundOptions } from '../../src/net/outbound.ts'
import { rawReceiver } from './hostile-receiver.ts'

/** Longer than any machine needs: an exchange that reaches this deadline hangs, and its test fails. */
const NEVER_MS = 3_600_000
/** The deadline of an exchange that only its deadline ends. */
export const HANGING_MS = 2_000

/** Run after each test, last one first. */
export const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/**
 * The outbound client for addresses that customers choose, with the loopback allowed; its deadline is effectively
 * infinite unless it is set.
 */
export function outboundTo(
  options: Partial<OutboundOptions> = {},
  policy: Partial<TargetPolicyOptions> = {},
): Outbound {
  const allowedRanges = parseRanges(['127.0.0.0/8', '::1/128'])
  const outbound = createOutbound(
    createTargetPolicy({ clock: systemClock, requireHttps: false, allowedRanges, ...policy }),
    {
      clock: systemClock,
      timeoutMs: NEVER_MS,
      ...options,
    },
  )
  cleanups.push(outbound.close)
  return outbound
}

export const request = { headers: { 'content-type': 'application/json' }, body: Buffer.from('{"kind":"message"}') }

/** Posts, and expects the excerpt of every response to stay within its limit. */
export async function postTo(url: string, outbound = outboundTo()) {
  const answer = await outbound.post({ ...request, url })
  expect(Buffer.byteLength(answer.excerpt)).toBeLessThanOrEqual(1024)
  return answer
}

export async function postToRaw(
  behave: (socket: Socket) => void,
  { onConnect = false, ...options }: { onConnect?: boolean } & Partial<OutboundOptions> = {},
) {
  const receiver = await rawReceiver(behave, { onConnect })
  cleanups.push(receiver.close)
  const outbound = outboundTo(options)
  const answer = await postTo(receiver.url, outbound)
  await outbound.close()
  return answer
}

export const head = 'HTTP/1.1 200 OK\r\n'
