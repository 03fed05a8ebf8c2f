import type { GroupMetadata } from 'baileys'
import { expect, it } from 'vitest'
import { Groups } from './groups.ts'

const GROUP = '120363000000000001@g.us'
const HOUR_MS = 3_600_000

/** Groups on a platform that answers queries like this; the test moves the clock. */
function groupsWith(answer: () => Promise<Partial<GroupMetadata>>) {
  let queries = 0
  let nowMs = 0
  const groups = new Groups({ ms: HOUR_MS, clock: { monotonicMs: () => nowMs } })
  const sock = {
    groupMetadata: async (id: string) => {
      queries += 1
      return { id, participants: [], ...(await answer()) } as unknown as GroupMetadata
    },
  }
  return {
    groups,
    find: (jid = GROUP) => groups.find(sock, jid),
    findSparingly: (jid = GROUP) => groups.findSparingly(sock, jid),
    queries: () => queries,
    pass: (ms: number) => void (nowMs += ms),
  }
}

const refusal = (code: number) => Promise.reject(Object.assign(new Error('refused'), { data: code }))

it('calls in parallel share one query, and later ones are answered from the cache', async () => {
  const { find, findSparingly, queries } = groupsWith(async () => ({ subject: 'Team' }))
  await Promise.all([find(), findSparingly(), find()])
  expect((await findSparingly())?.subject).toBe('Team')
  expect(queries()).toBe(1)
})

it('the members of 2,000 groups stay in the cache', async () => {
  const { find, queries } = groupsWith(async () => ({}))
  const jids = Array.from({ length: 2_000 }, (_, n) => `${120363000000000000 + n * 1000}@g.us`)
  for (const jid of [...jids, ...jids]) await find(jid)
  expect(queries()).toBe(2_000)
})

it('received items do not repeat a query that the platform refused, until the group changes', async () => {
  const { groups, findSparingly, queries } = groupsWith(() => refusal(403))
  for (let times = 0; times < 10; times += 1) expect(await findSparingly()).toBeUndefined()
  expect(queries()).toBe(1)
  groups.forget(GROUP)
  await findSparingly()
  expect(queries()).toBe(2)
})

it('a send queries the group even after a refusal', async () => {
  let isMember = false
  const { find, findSparingly } = groupsWith(() => (isMember ? Promise.resolve({ subject: 'Team' }) : refusal(403)))
  await findSparingly()
  isMember = true
  expect((await find()).subject).toBe('Team')
})

it('after 429 received items cause no query about any group, longer each time, until one succeeds', async () => {
  let isBusy = true
  const { findSparingly, queries, pass } = groupsWith(() => (isBusy ? refusal(429) : Promise.resolve({})))
  const group = (n: number): string => `12036300000000010${n}@g.us`
  for (let n = 0; n < 10; n += 1) await findSparingly(group(n))
  expect(queries()).toBe(1)
  pass(10_000)
  for (let n = 0; n < 10; n += 1) await findSparingly(group(n))
  expect(queries()).toBe(2)
  pass(10_000)
  await findSparingly(group(0))
  expect(queries()).toBe(2)
  isBusy = false
  pass(10_000)
  expect(await findSparingly(group(0))).toBeDefined()
  expect(queries()).toBe(3)
})
