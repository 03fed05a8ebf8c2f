import { expect, test } from 'vitest'
import { VolatileJournal } from '../journal.ts'
import { onBehalfOf } from '../owner.ts'
import { MediaStore } from './media-store.ts'

const MB = 1024 * 1024

test('files take at most 256 MB: the store deletes the oldest first, also from the storage', () => {
  const removed: string[] = []
  const store = new MediaStore(
    Object.assign(new VolatileJournal(), { remove: (key: string) => void removed.push(key) }),
  )
  const paths = Array.from({ length: 40 }, () => store.put(Buffer.alloc(16 * MB)))
  const kept = paths.filter(path => store.get(path) !== undefined)
  expect(kept).toEqual(paths.slice(-16))
  expect(removed).toEqual(paths.slice(0, -16).map(path => `media/${path}`))
})

test('a file larger than the limit displaces all others, and stays until the next', () => {
  const store = new MediaStore(new VolatileJournal())
  const small = store.put(Buffer.alloc(1))
  const large = store.put(Buffer.alloc(257 * MB))
  expect([store.get(small), store.get(large)?.length]).toEqual([undefined, 257 * MB])
  const next = store.put(Buffer.alloc(1))
  expect([store.get(large), store.get(next)?.length]).toEqual([undefined, 1])
})

test('the account with the most files loses its oldest: it does not displace those of another', () => {
  const store = new MediaStore(new VolatileJournal())
  const byPhone = onBehalfOf('victim', () => store.put(Buffer.alloc(16 * MB)))
  const uploaded = store.put(Buffer.alloc(1), store.ownerBy(store.authOf('victim')))
  const flood = Array.from({ length: 40 }, () => onBehalfOf('flooder', () => store.put(Buffer.alloc(16 * MB))))
  expect([store.get(byPhone)?.length, store.get(uploaded)?.length]).toEqual([16 * MB, 1])
  expect(flood.filter(path => store.get(path) !== undefined)).toEqual(flood.slice(-14))
  expect(store.ownerBy('guessed.victim')).toBeUndefined()
})
