import { describe, expect, it } from 'vitest'
import { healthOf } from './webhook-health.ts'

const at = (webhookId: string, atMs: number, code: number | null) => ({
  webhookId,
  atMs,
  delivered: code === 200,
  code,
  error: code === 200 ? null : code === null ? 'refused' : 'http_5xx',
})

describe('the health of webhooks', () => {
  it('one whose latest attempt failed comes first, with that failure', () => {
    const [first, second] = healthOf(
      [at('good', 5, 503), at('good', 9, 200), at('bad', 3, 200), at('bad', 8, null)],
      [0],
    )
    expect(first).toMatchObject({ webhookId: 'bad', delivered: 1, failed: 1, isFailing: true })
    expect(first!.lastFailure).toMatchObject({ atMs: 8, error: 'refused' })
    expect(second).toMatchObject({ webhookId: 'good', isFailing: false, lastFailure: { atMs: 5, code: 503 } })
  })

  it('counts by bucket, an empty one as zero, and the order of attempts does not matter', () => {
    const [only] = healthOf([at('w', 25, 200), at('w', 1, 200), at('w', 2, 500)], [0, 10, 20])
    expect(only!.spark).toEqual([
      { delivered: 1, failed: 1 },
      { delivered: 0, failed: 0 },
      { delivered: 1, failed: 0 },
    ])
    expect(only!.isFailing).toBe(false)
  })

  it('nothing tried is no webhook', () => expect(healthOf([], [0])).toEqual([]))
})
