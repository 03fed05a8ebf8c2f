import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../runtime/clock.ts'
import { BUILT_IN, type ClientVersion, type VersionSource } from '../../../domain/client-version.ts'
import { ClientVersions, nextQueryMs, type VersionMemory } from './client-versions.ts'

const [GOOD, ABSURD] = [BUILT_IN.revision + 1_000, BUILT_IN.revision + 9_000]

/** A node that has learnt a version from a source; then the sources say something else, and the first is refused. */
async function refusedOne(learnt: { revision: number; source: VersionSource }, then: typeof learnt) {
  const kept = new Map<number, ClientVersion>()
  const memory: VersionMemory = {
    read: async () => [...kept.values()].sort((a, b) => b.revision - a.revision)[0],
    keep: async version => void kept.set(version.revision, version),
    forget: async revision => void kept.delete(revision),
  }
  let named = learnt
  const node = () => new ClientVersions({ clock: systemClock, memory, query: async () => ({ named, failures: [] }) })
  const versions = node()
  await versions.ready()
  named = then
  const enough = new AbortController()
  const waiting = versions.waitForNewer(learnt.revision, enough.signal).then(() => versions.current.revision)
  const isOther = await versions.findNewer(learnt.revision)
  const restarted = node()
  await restarted.ready()
  enough.abort()
  return { isOther, inUse: versions.current.revision, waited: await waiting, restarted: restarted.current.revision }
}

it.each([
  ['of the list gives way to what the page names', 'fallback', 'page', GOOD, GOOD],
  ['of the page gives way to no older one', 'page', 'page', GOOD, ABSURD],
  ['of the list gives way to no older one of the list', 'fallback', 'fallback', GOOD, ABSURD],
  ['gives way to none that is older than the built-in one', 'fallback', 'page', BUILT_IN.revision - 1, ABSURD],
] as const)('a rejected version %s, also after a restart', async (_what, source, other, revision, used) => {
  const seen = await refusedOne({ revision: ABSURD, source }, { revision, source: other })
  expect(seen).toEqual({ isOther: used !== ABSURD, inUse: used, waited: used, restarted: used })
})

it('a rejected version of the list is not adopted again', async () => {
  let named: { revision: number; source: VersionSource } = { revision: ABSURD, source: 'fallback' }
  const versions = new ClientVersions({ clock: systemClock, query: async () => ({ named, failures: [] }) })
  await versions.ready()
  named = { revision: GOOD, source: 'page' }
  await versions.findNewer(ABSURD)
  named = { revision: ABSURD, source: 'fallback' }
  expect(await versions.findNewer(GOOD)).toBe(false)
  expect(versions.current.revision).toBe(GOOD)
})

const MINUTE_MS = 60_000

describe('when the version is asked for again', () => {
  it.each([
    ['daily', { isAnswered: true, isNewerWanted: false, failures: 0 }, 1_440],
    ['daily, whatever failed before', { isAnswered: true, isNewerWanted: false, failures: 9 }, 1_440],
    ['after a minute if no source answered', { isAnswered: false, isNewerWanted: false, failures: 0 }, 1],
    ['later each time', { isAnswered: false, isNewerWanted: false, failures: 3 }, 8],
    ['hourly at last', { isAnswered: false, isNewerWanted: false, failures: 200 }, 60],
    ['soon where a newer one is wanted and not there yet', { isAnswered: true, isNewerWanted: true, failures: 1 }, 2],
  ])('%s', (_what, last, minutes) => {
    expect(nextQueryMs(last, 1)).toBe(minutes * MINUTE_MS)
    expect(nextQueryMs(last, 0)).toBe(minutes * MINUTE_MS * 0.75)
  })
})
