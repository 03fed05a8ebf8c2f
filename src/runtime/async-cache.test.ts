import { describe, expect, it } from 'vitest'
import { AsyncCache } from './async-cache.ts'

describe('what was looked up', () => {
  let nowMs = 0
  const answers: Array<(value: string) => void> = []
  const look = () => new Promise<string>(resolve => answers.push(resolve))
  const fresh = () => {
    answers.length = 0
    return new AsyncCache<string>(10, { ms: 100, clock: { monotonicMs: () => nowMs } })
  }

  it('is one look for all who ask at once, and none for a while after', async () => {
    const cache = fresh()
    const asked = [cache.get('a', look), cache.get('a', look)]
    expect(answers).toHaveLength(1)
    answers[0]!('1')
    expect(await Promise.all(asked)).toEqual(['1', '1'])
    expect(await cache.get('a', look)).toBe('1')
    nowMs += 100
    void cache.get('a', look)
    expect(answers).toHaveLength(2)
  })

  it('is looked up anew by whoever asks after it was forgotten, and the old answer is not kept', async () => {
    const cache = fresh()
    const before = cache.get('a', look)
    cache.forget('a')
    const after = cache.get('a', look)
    answers[1]!('new')
    expect(await after).toBe('new')
    answers[0]!('old')
    expect(await before).toBe('old')
    expect(await cache.get('a', look)).toBe('new')
  })

  it('is asked for again where the look failed', async () => {
    const cache = fresh()
    await expect(cache.get('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away')
    const again = cache.get('a', look)
    answers[0]!('1')
    expect(await again).toBe('1')
  })
})
