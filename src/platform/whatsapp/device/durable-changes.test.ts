import { expect, test } from 'vitest'
import { DeviceChanges } from './device-changes.ts'

const open = () => {
  const commits: unknown[] = []
  const changes = new DeviceChanges({
    commit: async change => void commits.push(change),
    readCreds: () => new Uint8Array(0),
    onCommitted: () => {},
    onFailure: () => {},
  })
  return { changes, commits }
}
const KEYS = { keys: [{ category: 'c', id: '1', value: new Uint8Array(1) }] }

test('changes behind an open place are durable only when the place is filled and committed', async () => {
  const { changes, commits } = open()
  const place = changes.reserve()
  changes.add(KEYS)
  let isDurable: boolean | undefined
  const waiting = changes.areDurable().then(durable => (isDurable = durable))
  await changes.idle()
  expect({ isDurable, commits: commits.length }).toEqual({ isDurable: undefined, commits: 0 })
  place.fill({})
  await waiting
  expect({ isDurable, commits: commits.length }).toEqual({ isDurable: true, commits: 1 })
})

test('changes that are abandoned are never durable', async () => {
  const { changes } = open()
  changes.reserve()
  changes.add(KEYS)
  const waiting = changes.areDurable()
  changes.abandon()
  expect(await waiting).toBe(false)
})
