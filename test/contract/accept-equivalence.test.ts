import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeId } from '../../src/domain/ids.ts'
import type { AcceptRequest, AcceptResult } from '../../src/store/messages/accept-messages.ts'
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts'
import type { Store } from '../../src/store/store.ts'
import { runs } from '../harness/matrix.ts'
import { newPlace, openStore, type Place } from '../harness/stores.ts'

/** The three ways by which a message is accepted. Behind a pooler (`directUrl`) PostgreSQL has no single statement. */
const WAYS = ['a single statement on PostgreSQL', 'a transaction on PostgreSQL', 'a transaction on SQLite'] as const
const TO = '15550002222@s.whatsapp.net'

const places: Place[] = []
const stores: Store[] = []
beforeAll(async () => {
  for (const way of WAYS) {
    const place = await newPlace(way.endsWith('SQLite') ? 'sqlite' : 'postgres')
    places.push(place)
    const url = place.databaseUrl
    stores.push(
      url !== null && way.startsWith('a transaction')
        ? await openPostgresStore({ url, directUrl: url })
        : await openStore(place),
    )
  }
})
afterAll(async () => {
  for (const store of stores) await store.close()
  for (const place of places) place.remove()
})

/** What a customer may do: few keys, so that they repeat; few tokens, so that they run out; a number of another account. */
const asked = fc.record({
  account: fc.integer({ min: 0, max: 1 }),
  ofOther: fc.integer({ min: 0, max: 7 }).map(n => n === 0),
  key: fc.option(fc.integer({ min: 0, max: 3 })),
  print: fc.integer({ min: 0, max: 1 }),
  isLarge: fc.integer({ min: 0, max: 9 }).map(n => n === 0),
})
const limits = fc.record({
  burst: fc.option(fc.integer({ min: 1, max: 6 })),
  perMonth: fc.option(fc.integer({ min: 1, max: 8 })),
  waiting: fc.option(fc.integer({ min: 1, max: 8 })),
})
const scenes = fc.record({
  limits: fc.tuple(limits, limits),
  batches: fc.array(fc.array(asked, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 4 }),
})
type Scene = typeof scenes extends fc.Arbitrary<infer T> ? T : never

/** The same accounts, numbers and requests in every store. */
function prepare({ limits: given, batches }: Scene) {
  const accounts = given.map(() => makeId('acc'))
  const phones = accounts.map(() => `1666${Math.floor(performance.now() * 1_000)}${counter++}`)
  const jids = phones.map(phone => `${phone}@s.whatsapp.net`)
  const requests = batches.map(batch =>
    batch.map(({ account, ofOther, key, print, isLarge }): AcceptRequest => {
      const { burst, perMonth, waiting } = given[account]!
      const id = makeId('msg')
      const requestKey = key === null ? null : `key-${key}`
      return {
        accountId: accounts[account]!,
        limits: { perSecond: burst === null ? null : 0.000_001, burst, perMonth, waiting },
        message: {
          id,
          // A fingerprint covers the number, so requests with the same key and fingerprint name the same number.
          sessionId: jids[(key === null ? ofOther : key === 3) ? 1 - account : account]!,
          requestKey,
          fingerprint: requestKey === null ? null : fingerprint(print),
          to: TO,
          type: 'text',
          platformId: id,
          sendAt: null,
        },
        sealedContent: Buffer.alloc(isLarge ? 70_000 : 100, 7),
      }
    }),
  )
  return { accounts, phones, jids, requests }
}
let counter = 0

/** Fingerprints under one key, which its first bytes name. */
const fingerprint = (print: number): Buffer => Buffer.concat([Buffer.alloc(4), Buffer.alloc(32, print)])

/** Times of a rejection depend on when it was made. */
const comparable = (result: AcceptResult): unknown => {
  if (result.kind !== 'limited') return result
  const { kind, quota, full } = result
  return { kind, quota, full }
}

/** `together`: the requests of a batch at the same time, so that they share a commit; otherwise one after the other. */
async function perform(
  store: Store,
  together: boolean,
  { accounts, phones, jids, requests }: ReturnType<typeof prepare>,
) {
  for (const [i, id] of accounts.entries()) {
    const plan = { plan: 'max', limitOverrides: {}, acceptTosVersion: null, user: null, key: null } as const
    await store.accounts.createAccount({ id, name: 'Test', ...plan })
    const number = { accountId: id, id: jids[i]!, phone: phones[i]!, device: 1, label: '', maxSessions: null }
    await store.sessions.registerSession({ ...number, platform: 'whatsapp' })
  }
  const results: unknown[] = []
  for (const batch of together ? requests : requests.flat().map(request => [request]))
    results.push((await Promise.all(batch.map(request => store.messages.acceptMessage(request)))).map(comparable))
  const stored = await Promise.all(
    requests.flat().map(async ({ message }) => (await store.messages.getMessage(message.id)) !== undefined),
  )
  return { results, stored }
}

async function expectSame(scene: Scene, together: boolean): Promise<void> {
  const prepared = prepare(scene)
  const [statement, ...others] = await Promise.all(stores.map(store => perform(store, together, prepared)))
  for (const [i, other] of others.entries()) expect(other, WAYS[i + 1]).toEqual(statement)
}

it('requests one after the other get the same results by each way, whatever their keys, limits and sizes are', async () => {
  await fc.assert(
    fc.asyncProperty(scenes, scene => expectSame(scene, false)),
    { numRuns: runs(200) },
  )
})

/** Which of several concurrent requests gets the last token is not defined, and a large one goes by a separate transaction. */
it('concurrent requests get the same results by each way where no limit decides between them', async () => {
  const unlimited = scenes.map(({ batches }): Scene => {
    const none = { burst: null, perMonth: null, waiting: null }
    return { limits: [none, none], batches: batches.map(batch => batch.map(each => ({ ...each, isLarge: false }))) }
  })
  await fc.assert(
    fc.asyncProperty(unlimited, scene => expectSame(scene, true)),
    { numRuns: runs(200) },
  )
})
