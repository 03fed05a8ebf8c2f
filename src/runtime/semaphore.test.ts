import { setImmediate as yieldToEvents } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { Semaphore } from './semaphore.ts'

/** Work that ends when it is told to. */
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
  it('lets so many work at once, and then whoever waits longest', async () => {
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

  it('goes on after work that failed', async () => {
    const semaphore = new Semaphore(1)
    const broken = semaphore.run(async () => {
      throw new Error('broken')
    })
    const next = semaphore.run(async () => 'done')
    await expect(broken).rejects.toThrow('broken')
    expect(await next).toBe('done')
  })

  it('forgets who gives up waiting', async () => {
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

  it('begins nothing for who has given up before', async () => {
    const begun: string[] = []
    const { begin } = workOf(new Semaphore(1), begun)
    await expect(begin('a', AbortSignal.abort(new Error('no longer')))).rejects.toThrow('no longer')
    expect(begun).toEqual([])
  })
})
