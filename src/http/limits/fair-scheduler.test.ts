import { describe, expect, it } from 'vitest'
import { BOUNDS } from '../../domain/bounds.ts'
import { PLACES_OF_ACCOUNT, FairScheduler } from './fair-scheduler.ts'

const nextRound = () => new Promise<void>(resolve => void setImmediate(resolve))
async function rounds(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await nextRound()
}

/** Requests slots, and records when each is granted. */
function asking(scheduler = new FairScheduler()) {
  const begun: string[] = []
  const leave: Array<() => void> = []
  const ask = (account: string, places: number, name = account) =>
    void scheduler.take(account, places).then(release => {
      begun.push(name)
      leave.push(release)
    })
  return { scheduler, begun, leave, ask }
}

describe('FairScheduler', () => {
  it('starts a single request immediately', async () => {
    const { begun, ask } = asking()
    ask('a', PLACES_OF_ACCOUNT)
    await Promise.resolve()
    expect(begun).toEqual(['a'])
  })

  it('starts one request per round of the event loop', async () => {
    const { begun, ask } = asking()
    for (let i = 0; i < 100; i++) ask('a', 0)
    for (let i = 1; i <= 20; i++) {
      await nextRound()
      expect(begun.length).toBeLessThanOrEqual(i + 1)
    }
    await rounds(100)
    expect(begun).toHaveLength(100)
  })

  it('alternates between accounts: a single request does not wait for the queue of another account', async () => {
    const { begun, ask } = asking()
    for (let i = 0; i < 100; i++) ask('greedy', 0)
    ask('modest', 1)
    await rounds(3)
    expect(begun).toContain('modest')
    expect(begun.length).toBeLessThan(6)
  })

  it('runs few requests of an account, a heavy one alone, and starts the next when one ends', async () => {
    const { begun, leave, ask } = asking()
    for (let i = 0; i < 10; i++) ask('light', 1)
    for (let i = 0; i < 3; i++) ask('heavy', PLACES_OF_ACCOUNT)
    await rounds(20)
    expect(begun.filter(name => name === 'light')).toHaveLength(PLACES_OF_ACCOUNT)
    expect(begun.filter(name => name === 'heavy')).toHaveLength(1)
    for (let ended = 0; ended < 13; ended++) {
      await rounds(3)
      leave[ended]!()
    }
    expect(begun).toHaveLength(13)
  })

  it('gives a heavy request its places although other accounts send many light ones', async () => {
    const { begun, leave, ask } = asking()
    for (const account of ['a', 'b', 'c']) for (let i = 0; i < 20; i++) ask(account, 1)
    ask('d', PLACES_OF_ACCOUNT, 'heavy')
    for (let ended = 0; ended < 24; ended++) {
      await rounds(3)
      leave[ended]?.()
    }
    expect(begun).toContain('heavy')
  })

  it('rejects requests beyond the bound of an account’s queue', async () => {
    const { scheduler, ask } = asking()
    for (let i = 0; i < BOUNDS.waitingRequests + 1; i++) ask('a', 1)
    await expect(scheduler.take('a', 1)).rejects.toThrow('may wait for a response')
    await expect(scheduler.take('b', 1)).resolves.toBeTypeOf('function')
  })

  it('divides the bound of the queue by the number of processes', async () => {
    const { scheduler, ask } = asking(new FairScheduler(() => 4))
    for (let i = 0; i < BOUNDS.waitingRequests / 4 + 1; i++) ask('a', 1)
    await expect(scheduler.take('a', 1)).rejects.toThrow('may wait for a response')
  })
})
