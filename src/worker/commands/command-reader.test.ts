import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { DueSend } from '../../domain/command.ts'
import { makeLog } from '../../observability/log.ts'
import { systemClock } from '../../runtime/clock.ts'
import { Deferred } from '../../runtime/deferred.ts'
import { WakeSignal } from '../../runtime/wake-signal.ts'
import type { HeldLease } from '../held-lease.ts'
import { ChatQueues } from './chat-queues.ts'
import { CommandReader } from './command-reader.ts'

/** `a1` is the first command of chat a. */
const command = (name: string): DueSend => ({
  id: name,
  sessionId: 'number',
  queue: name[0]!,
  kind: 'send',
  attempt: 0,
  dueAt: 0,
  messageId: name,
  accountId: 'account',
  requestId: name,
  recipient: name[0]!,
  platformId: name,
  content: null,
  priority: null,
})
const commands = (names: string): DueSend[] => names.split(' ').filter(Boolean).map(command)

/** A reader over a store whose due commands the test answers, read by read. */
function reading({ later = false } = {}) {
  let waits = 0
  const queues = new ChatQueues(systemClock)
  const reads: Array<Deferred<DueSend[]>> = []
  const reader = new CommandReader({
    clock: { ...systemClock, sleep: async () => {} },
    log: makeLog('silent'),
    store: {
      commands: {
        lookAhead: async () => ({ hasLater: later, urgentQueues: [] }),
        readDueCommands: async () => {
          const read = new Deferred<DueSend[]>()
          reads.push(read)
          return await read.promise
        },
      },
    } as never,
    heldLease: { isValid: () => true, sessionId: 'number' } as HeldLease,
    queues,
    ready: new WakeSignal(),
    number: { pace: null },
    onWaitingCommands: () => waits++,
  })
  const running = reader.run()
  reader.wanted.notify()
  return {
    reader,
    answer: async (names: string) => {
      await turn()
      reads.at(-1)!.resolve(commands(names))
      await turn()
    },
    reads: () => reads.length,
    waits: () => waits,
    inMemory: () => [...queues.all()].flatMap(queue => queue.first?.id ?? []),
    stop: async () => {
      reader.stop()
      await turn()
      for (const read of reads) read.resolve([])
      await running
    },
  }
}

it('a reader that has all commands takes new ones without a read', async () => {
  const { reader, answer, reads, inMemory, stop } = reading()
  await answer('a1')
  reader.added(commands('b2 c3'))
  expect([inMemory(), reads()]).toEqual([['a1', 'b2', 'c3'], 1])
  await stop()
})

it.each([
  ['before its first read has ended', {}, async () => {}],
  ['while a command becomes due later', { later: true }, (answer: (names: string) => Promise<void>) => answer('')],
])('a new command cannot overtake one in the store: a reader leaves it to a read %s', async (_, store, before) => {
  const { reader, answer, inMemory, stop } = reading(store)
  await before(answer)
  reader.added(commands('a2'))
  expect(inMemory()).toEqual([])
  await answer('a1 a2')
  expect(inMemory()).toEqual(['a1'])
  await stop()
})

it.each([
  ['reports a command that becomes due later, for which time has to pass', true, 1],
  ['reports nothing while it has all commands', false, 0],
])('a reader %s', async (_, later, expected) => {
  const { answer, waits, stop } = reading({ later })
  await answer('a1')
  expect(waits()).toBe(expected)
  await stop()
})

it('a reader reads again after a change whose commands it does not know', async () => {
  const { reader, answer, reads, inMemory, stop } = reading()
  await answer('')
  reader.added(undefined)
  reader.added(commands('a2'))
  expect(inMemory()).toEqual([])
  await answer('a1 a2')
  expect([inMemory(), reads()]).toEqual([['a1'], 2])
  await stop()
})

it('a reader reads again for commands that did not fit into the queue of their chat', async () => {
  const { reader, answer, reads, stop } = reading()
  await answer('')
  reader.added(commands('a0 a1 a2 a3 a4 a5 a6 a7 a8'))
  reader.wantLeftOut()
  await turn()
  expect(reads()).toBe(2)
  await answer('')
  await stop()
})
