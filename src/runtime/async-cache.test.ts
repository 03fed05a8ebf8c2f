import { describe, expect, it } from 'vitest'
import { AsyncCache } from './async-cache.ts'

describe('AsyncCache', () => {
  let nowMs = 0
  const answers: Array<(value: string) => void> = []
  const look = () => new Promise<string>(resolve => answers.push(resolve))
  const fresh = () => {
    answers.length = 0
    return new AsyncCache<string>(10, { ms: 100, clock: { monotonicMs: () => nowMs } })
  }

  it('loads once for parallel calls, and not again until the value expires', async () => {
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

  it('loads again after a value is forgotten during its load, and does not keep the old value', async () => {
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

  it('loads again after a failed load', async () => {
    const cache = fresh()
    await expect(cache.get('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away')
    const again = cache.get('a', look)
    answers[0]!('1')
    expect(await again).toBe('1')
  })
})
