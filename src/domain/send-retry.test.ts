import { describe, expect, it } from 'vitest'
import { afterSendFailure, hasLostLinkForLong, hasWaitedOut, LINK_WAIT_MS } from './send-retry.ts'

const delaysMs = [1_000, 2_000, 4_000, 8_000]
const transient = { kind: 'transient', detail: 'upload failed' } as const

describe('what follows a failed attempt of a send', () => {
  it('a transient failure is tried again after 1, 2, 4 and 8 s with jitter added, five times in all', () => {
    for (const [i, waitMs] of delaysMs.entries()) {
      const least = afterSendFailure({ failure: transient, attempt: i + 1, delaysMs, random: () => 0 })
      const most = afterSendFailure({ failure: transient, attempt: i + 1, delaysMs, random: () => 0.999 })
      expect(least).toEqual({ next: 'retry', delayMs: waitMs })
      expect(most).toMatchObject({ next: 'retry' })
      expect((most as { delayMs: number }).delayMs).toBeLessThanOrEqual(waitMs * 1.2)
    }
    expect(afterSendFailure({ failure: transient, attempt: 5, delaysMs, random: () => 0 })).toEqual({
      next: 'failed',
      reason: 'RETRIES_EXHAUSTED',
      detail: 'upload failed',
    })
  })

  it('a permanent failure is the end, a link that is down spends nothing', () => {
    const permanent = { kind: 'permanent', reason: 'MEDIA_FAILED', detail: '404' } as const
    expect(afterSendFailure({ failure: permanent, attempt: 1, delaysMs, random: () => 0 })).toEqual({
      next: 'failed',
      reason: 'MEDIA_FAILED',
      detail: '404',
    })
    const down = { kind: 'link_down', detail: 'down' } as const
    expect(afterSendFailure({ failure: down, attempt: 5, delaysMs, random: () => 0 })).toEqual({
      next: 'wait_for_link',
    })
  })

  it('a message waits 10 minutes for its link, counted from when both were so', () => {
    expect(hasWaitedOut(0, null, 10 * LINK_WAIT_MS)).toBe(false)
    expect(hasWaitedOut(1_000, 5_000, 5_000 + LINK_WAIT_MS - 1)).toBe(false)
    expect(hasWaitedOut(1_000, 5_000, 5_000 + LINK_WAIT_MS)).toBe(true)
    expect(hasWaitedOut(9_000, 5_000, 5_000 + LINK_WAIT_MS)).toBe(false)
  })

  it.each([
    [0, false],
    [LINK_WAIT_MS - 1, false],
    [LINK_WAIT_MS, true],
  ])('a message that lost its link %s ms ago and again since then is given up: %s', (ms, isGivenUp) => {
    expect(hasLostLinkForLong(5_000, 5_000 + ms)).toBe(isGivenUp)
  })
})
