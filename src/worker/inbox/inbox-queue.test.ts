import { describe, expect, it } from 'vitest'
import { InboxQueue, type PlacedItem } from './inbox-queue.ts'

/** `b3` is the third item, of chat b. */
const item = (name: string, kind = 'message'): PlacedItem => ({
  key: name,
  kind,
  seq: Number(name.slice(1)),
  chat: name[0]!,
  failures: 0,
  diedWithIt: [],
  receivedAtMs: 0,
  body: new Uint8Array(0),
})
const items = (names: string): PlacedItem[] => names.split(' ').map(name => item(name))
const anyOne = (): boolean => true

/** Takes so many, ending none. */
const taken = (queue: InboxQueue, n: number): string[] =>
  Array.from({ length: n }, () => queue.take(anyOne)?.key ?? '–')

describe('the queue of an inbox', () => {
  it.each([
    ['one of each chat, in order of arrival', 'a1 b2 c3', ['a1', 'b2', 'c3', '–']],
    ['the first of a chat, and no other until it has ended', 'a1 a2 b3', ['a1', 'b3', '–']],
    ['by their places, whatever order they come in', 'a3 a1 a2', ['a1', '–']],
    ['each once, however often it comes', 'a1 a1 b2 a1', ['a1', 'b2', '–']],
  ])('gives %s', (_, names, expected) => {
    const queue = new InboxQueue(10)
    queue.add(items(names))
    expect(taken(queue, expected.length)).toEqual(expected)
  })

  it('goes on with a chat when its item has ended, after the others', () => {
    const queue = new InboxQueue(10)
    queue.add(items('a1 a2 b3 b4'))
    const first = queue.take(anyOne)!
    queue.done(first)
    expect(taken(queue, 3)).toEqual(['b3', 'a2', '–'])
  })

  it('gives an item that was put back before those behind it', () => {
    const queue = new InboxQueue(10)
    queue.add(items('a1 a2'))
    const first = queue.take(anyOne)!
    queue.putBack(first)
    expect(taken(queue, 2)).toEqual(['a1', '–'])
    expect(queue.size).toBe(2)
  })

  it('passes over a chat whose first item is not welcome now, and all behind that', () => {
    const queue = new InboxQueue(10)
    queue.add([item('a1', 'file_message'), item('a2'), item('b3')])
    const noFiles = ({ kind }: PlacedItem): boolean => kind !== 'file_message'
    expect(queue.take(noFiles)?.key).toBe('b3')
    expect(queue.take(noFiles)).toBeUndefined()
  })

  it('leaves out what does not fit, and all that comes later, until the store was read', () => {
    const queue = new InboxQueue(2)
    queue.add(items('a1 b2 c3'))
    expect([queue.size, queue.storeHasMore]).toEqual([2, true])
    queue.done(queue.take(anyOne)!)
    queue.add(items('d4'))
    expect(queue.size).toBe(1)
    queue.beginReading()
    queue.endReading(items('b2 c3'), true)
    expect([queue.size, queue.storeHasMore]).toEqual([2, true])
  })

  it('does not take up again what ended while the store was read', () => {
    const queue = new InboxQueue(10)
    queue.add(items('a1'))
    const first = queue.take(anyOne)!
    queue.beginReading()
    queue.done(first)
    queue.endReading(items('a1 b2'), false)
    expect(taken(queue, 2)).toEqual(['b2', '–'])
  })

  it.each([
    ['nothing was left out meanwhile', false, false, false],
    ['it was cut short', true, false, true],
    ['something was left out meanwhile', false, true, true],
  ])('after a read knows whether the store has more: %s', (_, isCutShort, leavesOut, hasMore) => {
    const queue = new InboxQueue(10)
    queue.leaveOut()
    queue.beginReading()
    if (leavesOut) queue.leaveOut()
    queue.endReading(items('a1'), isCutShort)
    expect(queue.storeHasMore).toBe(hasMore)
  })
})
