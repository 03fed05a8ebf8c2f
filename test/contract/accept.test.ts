import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeId } from '../../src/domain/ids.ts'
import { aboutMessage } from '../../src/domain/sealed.ts'
import { Seal } from '../../src/store/seal.ts'
import type { Store } from '../../src/store/store.ts'
import type { AcceptRequest } from '../../src/store/messages/accept-messages.ts'
import { registerTestSession } from '../harness/gateway.ts'
import { newPlace, openStore, type Place, queryPlace, STORES } from '../harness/stores.ts'

const NO_LIMITS = { perSecond: null, burst: null, perMonth: null }
const seal = new Seal([randomBytes(32)])
/** Two bodies under one key. */
const PRINT = Buffer.alloc(36, 1)
const OTHER_PRINT = Buffer.concat([PRINT.subarray(0, 4), Buffer.alloc(32, 2)])

describe.each(STORES)('Accepting on %s', kind => {
  let place: Place
  let store: Store
  beforeAll(async () => {
    place = await newPlace(kind)
    store = await openStore(place)
  })
  afterAll(async () => {
    await store.close()
    place.remove()
  })

  async function newSender() {
    const accountId = makeId('acc')
    const plan = { plan: 'max', limitOverrides: {}, acceptTosVersion: null, user: null, key: null } as const
    await store.accounts.createAccount({ id: accountId, name: 'Test', ...plan })
    const { jid: sessionId } = await registerTestSession(store, accountId, true)
    const request = (
      change: Partial<AcceptRequest['message']> = {},
      limits: AcceptRequest['limits'] = NO_LIMITS,
    ): AcceptRequest => {
      const id = makeId('msg')
      const print = change.requestKey === undefined ? null : PRINT
      const to = '15550002222@s.whatsapp.net'
      const fields = { id, sessionId, requestKey: null, fingerprint: print, to, type: 'text' }
      const message = { ...fields, platformId: makeId('msg'), sendAt: null, ...change }
      return { accountId, limits, message, sealedContent: seal.seal(`content of ${id}`, aboutMessage(id)) }
    }
    const usage = async () =>
      (await store.usage.readUsage({ accountId, from: '2020-01-01', to: '2100-01-01' }))[0]?.accepted ?? 0
    return { accountId, sessionId, request, usage }
  }

  const acceptAll = (requests: AcceptRequest[]) =>
    Promise.all(requests.map(request => store.messages.acceptMessage(request)))

  it('stores a trace with the message, for as long after its time, and for nothing that is rejected or repeated', async () => {
    const sender = await newSender()
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
    const sendAt = Date.now() + 86_400_000
    const accepted = [sender.request({ requestKey: 'traced' }), sender.request({ sendAt })]
    const refused = [
      sender.request({ requestKey: 'traced' }),
      sender.request({ sessionId: 'nobody@s.whatsapp.net' }),
      sender.request({}, { perSecond: 0.001, burst: 5, perMonth: 0 }),
    ]
    await acceptAll(accepted.map(request => ({ ...request, traceparent })))
    await acceptAll([...refused.map(request => ({ ...request, traceparent })), sender.request()])
    const rows = await queryPlace<{ id: string; traceparent: string; expires_at: number | string }>(
      place,
      'select id, traceparent, expires_at from traces order by expires_at',
    )
    expect(rows).toMatchObject(accepted.map(({ message: { id } }) => ({ id, traceparent })))
    expect(Number(rows[1]!.expires_at)).toBe(sendAt + 7 * 86_400_000)
  })

  it('gives requests of every kind in one batch their own results, and stores only new ones', async () => {
    const [ada, bob] = [await newSender(), await newSender()]
    const first = ada.request({ requestKey: 'known' })
    expect(await acceptAll([first])).toEqual([{ kind: 'accepted' }])
    const fresh = Array.from({ length: 20 }, (_, i) => ada.request({ requestKey: `new-${i}` }))
    const repeat = ada.request({ requestKey: 'known' })
    const mismatch = ada.request({ requestKey: 'known', fingerprint: OTHER_PRINT })
    const foreign = ada.request({ sessionId: bob.sessionId })
    const limited = bob.request({}, { perSecond: 0.001, burst: 5, perMonth: 0 })
    const keyless = bob.request()
    const results = await acceptAll([
      ...fresh.slice(0, 10),
      repeat,
      mismatch,
      foreign,
      limited,
      keyless,
      ...fresh.slice(10),
    ])
    expect(results.slice(0, 10)).toEqual(fresh.slice(0, 10).map(() => ({ kind: 'accepted' })))
    expect(results[10]).toMatchObject({ kind: 'repeated', first: { messageId: first.message.id } })
    expect(results[11]).toEqual({ kind: 'mismatch' })
    expect(results[12]).toEqual({ kind: 'foreign' })
    expect(results[13]).toMatchObject({ kind: 'limited', quota: true })
    expect(results.slice(14)).toEqual(fresh.slice(9).map(() => ({ kind: 'accepted' })))
    for (const { message } of [repeat, mismatch, foreign, limited]) {
      expect(await store.messages.getMessage(message.id)).toBeUndefined()
      expect(await store.messages.readMessageContent(message.id)).toBeUndefined()
    }
    expect([await ada.usage(), await bob.usage()]).toEqual([21, 1])
  })

  it('answers a correct repetition as such, also if a request with another body and the same key is in its batch', async () => {
    const sender = await newSender()
    const first = sender.request({ requestKey: 'repeated' })
    await acceptAll([first])
    const repeat = () => sender.request({ requestKey: 'repeated' })
    const other = sender.request({ requestKey: 'repeated', fingerprint: OTHER_PRINT })
    const original = { messageId: first.message.id, requestId: 'repeated' }
    expect(await acceptAll([other, repeat(), sender.request(), repeat()])).toMatchObject([
      { kind: 'mismatch' },
      { kind: 'repeated', first: original },
      { kind: 'accepted' },
      { kind: 'repeated', first: original },
    ])
  })

  it('stores a message as it was given, with its command and its content', async () => {
    const ada = await newSender()
    const sendAt = Date.now() + 3_600_000
    const odd = { requestKey: `k"\\{},' ${'x'.repeat(200)}`, to: '120363000000000000@g.us', type: 'poll' }
    const requests = [ada.request(), ada.request({ ...odd, sendAt })]
    await acceptAll(requests)
    for (const { accountId, message, sealedContent } of requests) {
      const { fingerprint: _print, requestKey: _key, ...shown } = message
      const state = message.sendAt === null ? 'queued' : 'scheduled'
      const stored = await store.messages.getMessage(message.id)
      expect(stored).toMatchObject({ ...shown, accountId, state, serverId: null, reason: null, detail: null })
      const content = await store.messages.readMessageContent(message.id)
      expect(Buffer.from(content!).equals(sealedContent)).toBe(true)
      const [command] = await queryPlace<Record<string, unknown>>(
        place,
        `select kind, message_id, queue, session_id, attempt, due_at from commands where id = '${message.id}'`,
      )
      expect(command).toMatchObject({
        kind: 'send',
        message_id: message.id,
        queue: message.to,
        session_id: ada.sessionId,
      })
      expect([Number(command!.attempt), Number(command!.due_at)]).toEqual([0, message.sendAt ?? stored!.createdAt])
    }
    const { requestKey, fingerprint, id } = requests[1]!.message
    const found = await store.messages.findRepeated({ accountId: ada.accountId, requestKey: requestKey! })
    expect(found).toMatchObject({ messageId: id })
    expect(Buffer.from(found!.fingerprint).equals(fingerprint!)).toBe(true)
  })

  it('counts exactly on a meter that was used before: the burst, the month and the waiting messages', async () => {
    const few = { perSecond: 0.001, burst: 30, perMonth: 1_000, waiting: 1_000 }
    const cases = [
      { limits: few, more: 29, refused: { quota: false, full: false } },
      { limits: { ...few, burst: 1_000, perMonth: 12 }, more: 11, refused: { quota: true, full: false } },
      { limits: { ...few, burst: 1_000, waiting: 9 }, more: 8, refused: { quota: false, full: true } },
    ]
    for (const { limits, more, refused } of cases) {
      const ada = await newSender()
      expect(await acceptAll([ada.request({}, limits)])).toEqual([{ kind: 'accepted' }])
      const rest = await acceptAll(Array.from({ length: more }, () => ada.request({}, limits)))
      expect(rest.every(({ kind: each }) => each === 'accepted')).toBe(true)
      const over = ada.request({ requestKey: 'over' }, limits)
      expect(await store.messages.acceptMessage(over)).toMatchObject({ kind: 'limited', ...refused })
      expect(await ada.usage()).toBe(more + 1)
    }
  })

  it('takes nothing from the account’s limits for a repeat, even if nothing is left', async () => {
    const ada = await newSender()
    const limits = { perSecond: 0.001, burst: 3, perMonth: null }
    const known = () => ada.request({ requestKey: 'known' }, limits)
    expect(await acceptAll([known()])).toEqual([{ kind: 'accepted' }])
    for (let i = 0; i < 5; i++) expect((await acceptAll([known()]))[0]!.kind).toBe('repeated')
    const two = await acceptAll([ada.request({}, limits), ada.request({}, limits)])
    expect(two).toEqual([{ kind: 'accepted' }, { kind: 'accepted' }])
    expect((await acceptAll([ada.request({}, limits), known()])).map(({ kind: each }) => each)).toEqual([
      'limited',
      'repeated',
    ])
  })
})
