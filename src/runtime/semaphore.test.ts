import { setImmediate as yieldToEvents } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { Semaphore } from './semaphore.ts'

/** Work that ends when the test resolves it. */
function workOf(semaphore: Semaphore, begun: string[]) {
  const ends = new Map<string, () => void>()
  const begin = (name: string, signal?: AbortSignal): Promise<string> =>
    semaphore.run(async () => {
      begun.push(name)
      await new Promise<void>(resolve => ends.set(name, resolve))
      return name
    }, signal)
  return { begin, end: (name: string) => ends.get(name)!() }
}

describe('a semaphore', () => {
  it('runs up to its limit at a time, and then the one that has waited longest', async () => {
    const begun: string[] = []
    const { begin, end } = workOf(new Semaphore(2), begun)
    const first = begin('a')
    for (const name of ['b', 'c', 'd']) void begin(name)
    await yieldToEvents()
    expect(begun).toEqual(['a', 'b'])
    end('a')
    expect(await first).toBe('a')
    await yieldToEvents()
    expect(begun).toEqual(['a', 'b', 'c'])
  })

  it('continues after work that failed', async () => {
    const semaphore = new Semaphore(1)
    const broken = semaphore.run(async () => {
      throw new Error('broken')
    })
    const next = semaphore.run(async () => 'done')
    await expect(broken).rejects.toThrow('broken')
    expect(await next).toBe('done')
  })

  it('removes a caller whose signal aborts while it waits', async () => {
    const begun: string[] = []
    const { begin, end } = workOf(new Semaphore(1), begun)
    const impatient = new AbortController()
    void begin('a')
    const waiting = begin('b', impatient.signal)
    void begin('c')
    impatient.abort(new Error('no longer'))
    await expect(waiting).rejects.toThrow('no longer')
    end('a')
    await yieldToEvents()
    expect(begun).toEqual(['a', 'c'])
  })

  it('does not start work for a signal that has already aborted', async () => {
    const begun: string[] = []
    const { begin } = workOf(new Semaphore(1), begun)
    await expect(begin('a', AbortSignal.abort(new Error('no longer')))).rejects.toThrow('no longer')
    expect(begun).toEqual([])
  })
})
