import { systemClock } from '../../runtime/clock.ts'
import { expect, test } from 'vitest'
import type { DueCommand } from '../../domain/command.ts'
import type { ChatQueue } from './chat-queue.ts'
import { ChatQueues } from './chat-queues.ts'

const due = (id: string, queue = 'ada', attempt = 0) => ({ id, queue, attempt }) as DueCommand
const many = (n: number, queue = 'ada') => Array.from({ length: n }, (_, i) => due(`${queue}${i}`, queue))

function setUp(commands: DueCommand[]) {
  const queues = new ChatQueues(systemClock)
  const fits = queues.add(commands)
  const of = (chatJid: string): ChatQueue => [...queues.all()].find(queue => queue.chatJid === chatJid)!
  return { queues, fits, of }
}

test('of one chat the next command begins when the one before has ended', () => {
  const { queues, of } = setUp([due('a'), due('b')])
  const queue = of('ada')
  expect(queue.first?.id).toBe('a')
  queue.begin()
  expect(queue.first).toBeUndefined()
  queues.next(queue)
  expect(queue.first?.id).toBe('b')
  queues.next(queue)
  expect([...queues.all()]).toEqual([])
})

test('eight commands of a chat are in memory at most; the chat is then read no further', () => {
  const { queues, fits } = setUp([...many(9), due('b', 'bob')])
  expect(fits).toBe(false)
  expect(queues.ids()).toHaveLength(9)
  expect(queues.crowded(0)).toEqual(['ada'])
})

test('a command that is here, or has just ended, is not added again', () => {
  const { queues, of } = setUp([due('a')])
  expect(queues.add([due('a')])).toBe(true)
  expect(queues.ids()).toEqual(['a'])
  queues.next(of('ada'))
  expect(queues.ids()).toEqual(['a'])
  queues.forget(due('a'))
  expect(queues.add([due('a')])).toBe(true)
  expect(queues.ids()).toEqual([])
})

test('a command that is to be tried again holds up its own chat alone', () => {
  const { queues, of } = setUp([due('a', 'ada', 2), due('b', 'bob')])
  const queue = of('ada')
  expect(queues.ready(0)).toBe(2)
  expect(queue.attempt).toBe(3)
  queue.begin()
  expect(queues.ready(0)).toBe(1)
  queue.retry(100)
  expect(queue.attempt).toBe(4)
  expect(queues.ready(99)).toBe(1)
  expect(queues.crowded(99)).toEqual(['ada'])
  expect(queues.ready(100)).toBe(2)
})

test('each command counts its own attempts and its own losses of the link', () => {
  const { queues, of } = setUp([due('a'), due('b')])
  const queue = of('ada')
  queue.retry(100)
  expect(queue.linkLost(5)).toBe(5)
  expect(queue.linkLost(9)).toBe(5)
  queues.next(queue)
  expect(queue.attempt).toBe(1)
  expect(queue.notBeforeMs).toBe(0)
  expect(queue.linkLost(9)).toBe(9)
})

const urgent = (id: string, queue: string) => ({ ...due(id, queue), priority: 1 })
const order = (queues: ChatQueues) => [...queues.all()].map(queue => queue.first?.id)

test('a chat with a command of high priority comes first, with the earlier commands of the chat', () => {
  const { queues } = setUp([due('a', 'ada'), due('b', 'bob'), due('e', 'eve'), urgent('u', 'eve')])
  expect(order(queues)).toEqual(['e', 'a', 'b'])
})

test('a chat is no longer first once its command of high priority has ended', () => {
  const { queues, of } = setUp([due('a', 'ada'), urgent('u', 'eve'), due('e', 'eve')])
  queues.next(of('eve'))
  expect(order(queues)).toEqual(['a', 'e'])
})

test('a chat is first while the store has a command of high priority for it', () => {
  const { queues } = setUp([due('a', 'ada'), due('b', 'bob')])
  queues.markUrgent(['bob'])
  expect(order(queues)).toEqual(['b', 'a'])
})

test('the commands of a chat that is put off are read again', () => {
  const { queues, of } = setUp([due('a'), due('b')])
  queues.putOff(of('ada'))
  expect([queues.ids(), queues.areEmpty]).toEqual([[], true])
  expect(queues.add([due('a')])).toBe(true)
  expect(queues.ids()).toEqual(['a'])
})
