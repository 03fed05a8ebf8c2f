import { expect, it } from 'vitest'
import { SavingJournal, Unsaved } from './journal.ts'

/** A storage whose saves end when the test calls `end`. */
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

const tick = () => new Promise(resolve => setImmediate(resolve))
const untilSaveStarted = async (saves: unknown[], count: number) => {
  while (saves.length < count) await tick()
}

it('a change that was not saved before the journal stopped is never reported as saved', async () => {
  const { storage, saves } = heldStorage()
  const journal = new SavingJournal(storage, () => {})
  journal.put('message', () => 1)
  const saved = journal.saved()
  await untilSaveStarted(saves, 1)
  const stopped = journal.stop()
  saves[0]!.end(new Error('another has taken over'))
  await stopped
  await expect(saved).rejects.toThrow(Unsaved)
  const later = journal.saved()
  await untilSaveStarted(saves, 2)
  saves[1]!.end(new Error('another has taken over'))
  await expect(later).rejects.toThrow(Unsaved)
})

it('saved() does not wait for later changes', async () => {
  const { storage, saves } = heldStorage()
  const journal = new SavingJournal(storage, () => {})
  journal.put('message', () => 1)
  const saved = journal.saved()
  await untilSaveStarted(saves, 1)
  journal.put('another', () => 2)
  saves[0]!.end()
  await saved
  expect(saves.map(({ keys }) => keys)).toEqual([['message'], ['another']])
})

it('a change that is saved at the second attempt, or while the journal stops, is reported as saved', async () => {
  const { storage, saves } = heldStorage()
  const failures: unknown[] = []
  const journal = new SavingJournal(storage, error => failures.push(error))
  journal.put('message', () => 1)
  const saved = journal.saved()
  await untilSaveStarted(saves, 1)
  saves[0]!.end(new Error('the database is unreachable'))
  await untilSaveStarted(saves, 2)
  const stopped = journal.stop()
  saves[1]!.end()
  await Promise.all([stopped, saved])
  expect(failures).toHaveLength(1)
  expect(saves.map(({ keys }) => keys)).toEqual([['message'], ['message']])
})

it('no effect runs before the changes of the same tick are saved, including later ones', async () => {
  const { storage, saves } = heldStorage()
  const journal = new SavingJournal(storage, () => {})
  const effects: string[] = []
  journal.afterCommit(() => effects.push('ack'))
  journal.put('message', () => 1)
  journal.afterCommit(() => effects.push('receipt'))
  await untilSaveStarted(saves, 1)
  expect(effects).toEqual([])
  saves[0]!.end()
  await journal.saved()
  expect(effects).toEqual(['ack', 'receipt'])
})

it('the effect of an unsaved change never runs', async () => {
  const { storage, saves } = heldStorage()
  const journal = new SavingJournal(storage, () => {})
  const effects: string[] = []
  journal.put('message', () => 1)
  journal.afterCommit(() => effects.push('receipt'))
  await untilSaveStarted(saves, 1)
  const stopped = journal.stop()
  saves[0]!.end(new Error('another has taken over'))
  await stopped
  journal.afterCommit(() => effects.push('later'))
  const saved = journal.saved()
  await untilSaveStarted(saves, 2)
  saves[1]!.end(new Error('another has taken over'))
  await expect(saved).rejects.toThrow(Unsaved)
  expect(effects).toEqual([])
})
