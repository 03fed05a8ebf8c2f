import { expect, it } from 'vitest'
import { messageOf, received } from '../../../../test/harness/received-messages.ts'
import { Semaphore } from '../../../runtime/semaphore.ts'
import { MessageTries } from './message-tries.ts'
import { OwedConfirmations } from './owed.ts'
import type { ReceivedMessagesDeps } from './received-messages.ts'

const nothing = (): void => {}
const SUSPECT = 'm/15550001111@s.whatsapp.net//SUSPECT'

/**
 * Two numbers of one process that share the semaphore; each receives a message that was begun before and did not end.
 */
function twoSuspects(library: (number: string) => Promise<void>, more: Partial<ReceivedMessagesDeps> = {}) {
  const suspects = new Semaphore(1)
  const [first, second] = ['first', 'second'].map(number => received(() => library(number), { ...more, suspects })) as [
    ReturnType<typeof received>,
    ReturnType<typeof received>,
  ]
  for (const { messages, counted } of [first, second]) {
    counted.set(SUSPECT, 1)
    messages.push(messageOf('SUSPECT'))
  }
  return { first, second, suspects }
}

it('of two numbers that receive suspect messages one is handled at a time', async () => {
  const underWay: string[] = []
  const atOnce: string[][] = []
  const { first, second } = twoSuspects(async number => {
    underWay.push(number)
    atOnce.push([...underWay])
    await new Promise(resolve => setTimeout(resolve, 5))
    underWay.splice(underWay.indexOf(number), 1)
  })
  await Promise.all([first.messages.idle(), second.messages.idle()])
  expect(atOnce).toEqual([['first'], ['second']])
})

it('a suspect message that gets stuck leaves its slot to the next', async () => {
  const begun: string[] = []
  const { first, second, suspects } = twoSuspects(
    async number => {
      begun.push(number)
      if (number === 'first') await new Promise(nothing)
    },
    { timeoutMs: 10 },
  )
  await second.messages.idle()
  expect(begun).toEqual(['first', 'second'])
  expect([first.stuck(), second.stuck()]).toEqual([1, 0])
  expect(first.counted.get(SUSPECT)).toBe(2)
  expect(suspects.waiting).toBe(0)
})

it('a suspect message that waits when its link ends is neither counted nor given to the library', async () => {
  const begun: string[] = []
  const owed = new OwedConfirmations()
  owed.add({ data: { tag: 'ack', attrs: { class: 'message', id: 'SUSPECT' } } })
  const { first, second, suspects } = twoSuspects(
    async number => {
      begun.push(number)
      await new Promise(nothing)
    },
    { owed },
  )
  await expect.poll(() => suspects.waiting).toBe(1)
  second.messages.stop()
  await second.messages.idle()
  expect(begun).toEqual(['first'])
  expect([first.counted.get(SUSPECT), second.counted.get(SUSPECT)]).toEqual([2, 1])
  expect(suspects.waiting).toBe(0)
  expect(second.acknowledged).toEqual([])
  expect(owed.has(messageOf('SUSPECT'))).toBe(true)
})

it('a suspect message whose link ends while its try is counted is not begun, and the try is taken back', async () => {
  const written: number[] = []
  const begun: string[] = []
  const stored = new Map([[SUSPECT, 1]])
  const recordTries = async (tries: ReadonlyMap<string, number>): Promise<void> => {
    written.push(...tries.values())
    messages.stop()
  }
  const { messages } = received(async (_current, stanza) => void begun.push(stanza.attrs.id!), {
    tries: new MessageTries(stored, { recordTries }),
  })
  messages.push(messageOf('SUSPECT'))
  await messages.idle()
  expect([written, begun]).toEqual([[2, 1], []])
  expect(stored.get(SUSPECT)).toBe(1)
})
