import { expect, it } from 'vitest'
import { SavingJournal, Unsaved } from './journal.ts'

/** A storage whose saves end when they are told to. */
function heldStorage() {
  const saves: Array<{ keys: string[]; end: (error?: Error) => void }> = []
  const storage = {
    load: async () => new Map<string, Uint8Array>(),
    save: (changes: Map<string, unknown>) =>
      new Promise<void>((resolve, reject) => {
        saves.push({ keys: [...changes.keys()], end: error => (error ? reject(error) : resolve()) })
      }),
  }
  return { storage, saves }
}

const turn = () => new Promise(resolve => setImmediate(resolve))
const untilAsked = async (saves: unknown[], count: number) => {
  while (saves.length < count) await turn()
}

it('what could not be saved before the end is never said to be saved', async () => {
  const { storage, saves } = heldStorage()
  const journal = new SavingJournal(storage, () => {})
  journal.put('message', () => 1)
  const settled = journal.settled()
  await untilAsked(saves, 1)
  const stopped = journal.stop()
  saves[0]!.end(new Error('another has taken over'))
  await stopped
  await expect(settled).rejects.toThrow(Unsaved)
  const later = journal.settled()
  await untilAsked(saves, 2)
  saves[1]!.end(new Error('another has taken over'))
  await expect(later).rejects.toThrow(Unsaved)
})

it('what is changed later is not waited for', async () => {
  const { storage, saves } = heldStorage()
  const journal = new SavingJournal(storage, () => {})
  journal.put('message', () => 1)
  const settled = journal.settled()
  await untilAsked(saves, 1)
  journal.put('another', () => 2)
  saves[0]!.end()
  await settled
  expect(saves.map(({ keys }) => keys)).toEqual([['message'], ['another']])
})

it('what is saved at the end, or by a second try, is said to be saved', async () => {
  const { storage, saves } = heldStorage()
  const failures: unknown[] = []
  const journal = new SavingJournal(storage, error => failures.push(error))
  journal.put('message', () => 1)
  const settled = journal.settled()
  await untilAsked(saves, 1)
  saves[0]!.end(new Error('the database is away'))
  await untilAsked(saves, 2)
  const stopped = journal.stop()
  saves[1]!.end()
  await Promise.all([stopped, settled])
  expect(failures).toHaveLength(1)
  expect(saves.map(({ keys }) => keys)).toEqual([['message'], ['message']])
})

it('nobody hears of anything before what changed in the same turn is saved, also what changed after it', async () => {
  const { storage, saves } = heldStorage()
  const journal = new SavingJournal(storage, () => {})
  const told: string[] = []
  journal.afterCommit(() => told.push('ack'))
  journal.put('message', () => 1)
  journal.afterCommit(() => told.push('receipt'))
  await untilAsked(saves, 1)
  expect(told).toEqual([])
  saves[0]!.end()
  await journal.settled()
  expect(told).toEqual(['ack', 'receipt'])
})

it('what was not saved is told to nobody', async () => {
  const { storage, saves } = heldStorage()
  const journal = new SavingJournal(storage, () => {})
  const told: string[] = []
  journal.put('message', () => 1)
  journal.afterCommit(() => told.push('receipt'))
  await untilAsked(saves, 1)
  const stopped = journal.stop()
  saves[0]!.end(new Error('another has taken over'))
  await stopped
  journal.afterCommit(() => told.push('later'))
  const settled = journal.settled()
  await untilAsked(saves, 2)
  saves[1]!.end(new Error('another has taken over'))
  await expect(settled).rejects.toThrow(Unsaved)
  expect(told).toEqual([])
})
