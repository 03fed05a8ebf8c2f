import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeEvent } from '../../src/actions/make-event.ts'
import { tooManyNumbers } from '../../src/domain/errors.ts'
import { makeId } from '../../src/domain/ids.ts'
import { PlatformIds } from '../../src/domain/platform-ids.ts'
import { aboutMessage } from '../../src/domain/sealed.ts'
import { openAttached } from '../../src/store/open-attached.ts'
import { Seal } from '../../src/store/seal.ts'
import type { Store } from '../../src/store/store.ts'
import { DataError } from '../../src/store/transaction.ts'
import type { AcceptRequest } from '../../src/store/messages/accept-messages.ts'
import { registerTestSession } from '../harness/gateway.ts'
import { newPlace, openStore, type Place, STORES } from '../harness/stores.ts'
import type { SessionLease } from '../../src/domain/lease.ts'
import { until } from '../harness/until.ts'
import { beatFor, takeSession } from '../harness/leases.ts'

const NO_LIMITS = { perSecond: null, burst: null, perMonth: null }
const seal = new Seal([randomBytes(32)])
const platformIds = new PlatformIds(randomBytes(16).toString('base64'))

describe.each(STORES)('The store on %s', kind => {
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

  /** An account's own number, by account. */
  const numbers = new Map<string, string>()
  const newAccount = async (name = 'Test'): Promise<string> => {
    const id = makeId('acc')
    await store.accounts.createAccount({
      id,
      name,
      plan: 'max',
      limitOverrides: {},
      acceptTosVersion: null,
      user: null,
      key: null,
    })
    numbers.set(id, (await registerTestSession(store, id, true)).jid)
    return id
  }

  function requestFor(
    accountId: string,
    change: Partial<AcceptRequest['message']> = {},
    limits: AcceptRequest['limits'] = NO_LIMITS,
  ): AcceptRequest {
    const id = makeId('msg')
    return {
      accountId,
      limits,
      message: {
        id,
        sessionId: numbers.get(accountId)!,
        requestKey: null,
        fingerprint: null,
        to: '15550002222@s.whatsapp.net',
        type: 'text',
        platformId: 'X',
        sendAt: null,
        ...change,
      },
      sealedContent: seal.seal('content', aboutMessage(id)),
    }
  }

  it('keeps text unchanged: 4-byte emoji, combining marks, right-to-left, quotes, line ends', async () => {
    const texts = [
      '🙂👩‍👩‍👧‍👦',
      'é\u0301\u0301',
      '\u202eabc\u202c',
      `'"\`\\;--`,
      'a\r\n\tb',
      '\u0001\u001f\u007f',
      '\ufeff\ufffe\uffff',
      '𝒳'.repeat(10_000),
    ]
    for (const text of texts) {
      const id = await newAccount(text)
      expect((await store.accounts.getAccount(id))?.name).toBe(text)
    }
  })

  it('keeps bytes unchanged: NUL, every value, and 5 MB', async () => {
    const accountId = await newAccount()
    const payloads = [
      Buffer.from([0, 0, 0]),
      Buffer.from(Array.from({ length: 256 }, (_, i) => i)),
      randomBytes(5 * 1_048_576),
    ]
    for (const payload of payloads) {
      const request = { ...requestFor(accountId), sealedContent: payload }
      expect(await store.messages.acceptMessage(request)).toEqual({ kind: 'accepted' })
      const read = await store.messages.readMessageContent(request.message.id)
      expect(Buffer.compare(Buffer.from(read!), payload)).toBe(0)
    }
  })

  it('never fails a row because of its neighbour: the batch is halved until the bad row is alone', async () => {
    const accountId = await newAccount()
    const requests = Array.from({ length: 100 }, () => requestFor(accountId))
    // Two messages with one id break a constraint that only the database knows.
    const bad = Array.from({ length: 2 }, () => requestFor(accountId, { id: requests[3]!.message.id }))
    const all = [...requests.slice(0, 40), ...bad, ...requests.slice(40)]
    const results = await Promise.allSettled(all.map(request => store.messages.acceptMessage(request)))
    const failed = results
      .map((result, i) => ({ result, request: all[i]! }))
      .filter(({ result }) => result.status === 'rejected')
    expect(failed.length).toBeGreaterThan(0)
    expect(failed.length).toBeLessThanOrEqual(3)
    for (const { result, request } of failed) {
      expect(request.message.id).toBe(requests[3]!.message.id)
      expect((result as PromiseRejectedResult).reason).toBeInstanceOf(DataError)
    }
    for (const request of requests.filter(each => each !== requests[3]))
      expect(await store.messages.getMessage(request.message.id)).toBeDefined()
    const page = await store.messages.listMessages({ accountId, sessionIds: null, limit: 1_000, cursor: null })
    expect(page.data).toHaveLength(results.filter(result => result.status === 'fulfilled').length)
  })

  it('fails only the row whose text the database cannot hold', async () => {
    const accountId = await newAccount()
    const requests = Array.from({ length: 50 }, (_, i) => requestFor(accountId, i === 25 ? { to: 'a\0b' } : {}))
    const results = await Promise.allSettled(requests.map(request => store.messages.acceptMessage(request)))
    results.forEach((result, i) => {
      if (i !== 25) expect(result).toEqual({ status: 'fulfilled', value: { kind: 'accepted' } })
      else if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(DataError)
    })
  })

  it('writes a message, its content, its command and its usage in one commit', async () => {
    const accountId = await newAccount()
    const first = requestFor(accountId)
    expect(await store.messages.acceptMessage(first)).toEqual({ kind: 'accepted' })
    const clash = requestFor(accountId)
    const taken = { kind: 'edit', messageId: first.message.id, sealed: Buffer.from('x') } as const
    await store.messages.enqueueFollowUp({ ...taken, commandId: clash.message.id, accountId, limits: NO_LIMITS })
    await expect(store.messages.acceptMessage(clash)).rejects.toThrow(DataError)
    expect(await store.messages.getMessage(clash.message.id)).toBeUndefined()
    expect(await store.messages.readMessageContent(clash.message.id)).toBeUndefined()
    const day = new Date().toISOString().slice(0, 10)
    expect((await store.usage.readUsage({ accountId, from: day, to: day }))[0]?.accepted).toBe(1)
  })

  it('finds a message by its platform id, and only for the number that sent it', async () => {
    const accountId = await newAccount()
    const sessionId = numbers.get(accountId)!
    const other = await newAccount()
    const ids = Array.from({ length: 20 }, () => makeId('msg'))
    for (const id of ids)
      await store.messages.acceptMessage(requestFor(accountId, { id, platformId: platformIds.of(id) }))
    const sent = platformIds.sentIds([...ids.map(id => platformIds.of(id)), platformIds.of(makeId('msg')), 'ABC'])
    const found = await store.messages.readSentMessages({ sessionId, sent })
    expect(found.map(({ id }) => id).sort()).toEqual(ids)
    const [first] = sent
    expect(await store.messages.findMessage({ sessionId, ...first! })).toMatchObject({ id: ids[0] })
    const seen = { messageId: first!.platformId, beginning: first!.beginning, chats: null }
    expect(await store.inbox.readSeenMessage({ sessionId, ...seen })).toMatchObject({ fromMe: 1 })

    const elsewhere = numbers.get(other)!
    expect(await store.messages.readSentMessages({ sessionId: elsewhere, sent })).toEqual([])
    expect(await store.messages.findMessage({ sessionId: elsewhere, ...first! })).toBeUndefined()
    expect(await store.inbox.readSeenMessage({ sessionId: elsewhere, ...seen })).toBeUndefined()
  })

  it('keeps an edit behind its message, even if both are due at the same time', async () => {
    const accountId = await newAccount()
    const sendAt = Date.now() + 500
    const first = requestFor(accountId, { sendAt })
    await store.messages.acceptMessage(first)
    const edit = { kind: 'edit', messageId: first.message.id, sealed: Buffer.from('x') } as const
    const commandId = makeId('msg')
    await store.messages.enqueueFollowUp({ ...edit, commandId, accountId, limits: NO_LIMITS })
    const second = requestFor(accountId, { sendAt })
    await store.messages.acceptMessage(second)
    const asked = { sessionId: first.message.sessionId, exceptQueues: [], exceptIds: [], limit: 10 }
    const due = async () => (await store.commands.readDueCommands(asked)).map(({ id }) => id)
    await until(async () => (await due()).length === 3)
    expect(await due()).toEqual([first.message.id, commandId, second.message.id])
  })

  it('makes one message of concurrent requests with one key', async () => {
    const accountId = await newAccount()
    const fingerprint = Buffer.alloc(32, 1)
    const twins = Array.from({ length: 300 }, (_, i) => requestFor(accountId, { requestKey: `k${i % 3}`, fingerprint }))
    const results = await Promise.all(twins.map(twin => store.messages.acceptMessage(twin)))
    expect(results.filter(result => result.kind === 'accepted')).toHaveLength(3)
    const ids = new Set(
      results.map((result, i) => (result.kind === 'repeated' ? result.first.messageId : twins[i]!.message.id)),
    )
    expect(ids.size).toBe(3)
  })

  it('counts limits in the same commit: never one more than the burst, never one less', async () => {
    const accountId = await newAccount()
    const limits = { perSecond: 0.001, burst: 37, perMonth: 1_000 }
    const results = await Promise.all(
      Array.from({ length: 500 }, () => store.messages.acceptMessage(requestFor(accountId, {}, limits))),
    )
    expect(results.filter(result => result.kind === 'accepted')).toHaveLength(37)
    const limited = results.filter(result => result.kind === 'limited')
    expect(limited).toHaveLength(463)
    for (const result of limited) expect(result).toMatchObject({ quota: false, retryAfterMs: expect.any(Number) })
  })

  it('gives a lease to one owner at a time, with a higher epoch each time, and no other can return or free it', async () => {
    const name = { kind: 'shard', id: makeId('node') } as const
    await store.leases.addLeases({ names: [name], pool: null })
    const take = async (owner: string) => {
      await beatFor(store, owner, 60_000)
      const lease = await store.leases.takeLease({ owner, name })
      return lease === undefined ? [] : [lease]
    }
    const owners = ['a', 'b', 'c', 'd'].map(() => makeId('node'))
    const taken = (await Promise.all(owners.map(owner => take(owner)))).flat()
    expect(taken).toEqual([{ ...name, epoch: 1, owner: expect.any(String) }])
    const [first] = taken
    const [e, f] = [makeId('node'), makeId('node')]
    expect(await take(e)).toEqual([])
    await store.leases.releaseLeases([{ ...first!, owner: e }])
    expect(await take(e)).toEqual([])
    await store.leases.endLeaseOwner({ id: first!.owner })
    expect(await take(e)).toEqual([{ ...name, epoch: 2, owner: e }])
    await store.leases.releaseLeases([first!])
    expect(await take(f)).toEqual([])
    await store.leases.releaseLeases([{ ...name, epoch: 2, owner: e }])
    expect(await take(f)).toEqual([{ ...name, epoch: 3, owner: f }])
  })

  it('gives no lease to an owner without a heartbeat, and does not declare one dead that sends it meanwhile', async () => {
    const name = { kind: 'shard', id: makeId('node') } as const
    await store.leases.addLeases({ names: [name], pool: null })
    const id = makeId('node')
    expect(await store.leases.takeLease({ owner: id, name })).toBeUndefined()
    const beat = () => store.leases.recordHeartbeat({ id, nodeId: id, pool: 'simulator', room: 1, lastsMs: 60_000 })
    expect((await beat()).isNew).toBe(true)
    const lease = await store.leases.takeLease({ owner: id, name })
    expect(lease).toEqual({ ...name, epoch: 1, owner: id })
    const [seen] = (await beat()).owners.filter(owner => owner.id === id)
    expect((await beat()).isNew).toBe(false)
    expect(await store.leases.endLeaseOwner(seen!)).toBe(false)
    expect(await store.leases.readLeasesOf(id)).toEqual([lease])
    expect(await store.leases.endLeaseOwner({ id, beat: seen!.beat + 1 })).toBe(true)
    expect(await store.leases.readLeasesOf(id)).toEqual([])
    expect((await beat()).isNew).toBe(true)
  })

  it.each([
    ['a stale epoch', (lease: SessionLease) => ({ ...lease, epoch: lease.epoch - 1 })],
    ['a stale owner', (lease: SessionLease) => ({ ...lease, owner: 'another' })],
  ])('rejects writes with %s (fencing)', async (_, staleOf) => {
    const accountId = await newAccount()
    const session = await registerTestSession(store, accountId, true)
    const memory = { state: 'connected' as const, downSince: null, reported: null }
    expect(await store.sessions.recordLink({ lease: session.lease, memory, trouble: null, event: null })).toBe('done')
    const stale = staleOf(session.lease)
    expect(
      await store.sessions.recordLink({
        lease: stale,
        memory: { ...memory, state: 'logged_out' },
        trouble: null,
        event: null,
      }),
    ).toBe('lost')
    expect((await store.sessions.getSession(session.jid))?.state).toBe('connected')
    const event = makeEvent({ seal }, accountId, {
      kind: 'health',
      session_id: session.jid,
      event: 'restricted',
      cause: 'restriction',
      timestamp_unix: 1,
    })
    expect(await store.sessions.recordRefusal({ lease: stale, code: 463 })).toBe(false)
    expect(await store.sessions.restrictSession({ lease: stale, restriction: { untilMs: 1, type: null }, event })).toBe(
      false,
    )
    const cap = { status: 'capped' as const, limit: 1, used: 1, untilMs: null, asOfMs: 1 }
    expect(await store.sessions.capNewChats({ lease: stale, cap, event })).toBe(false)
    const request = requestFor(accountId, { sessionId: session.jid })
    await store.messages.acceptMessage(request)
    expect(await store.commands.beginAttempt({ lease: stale, commandId: request.message.id, attempt: 1 })).toBe('lost')
    expect(await store.requests.endRequest({ lease: stale, id: request.message.id })).toBe('lost')
    expect(await store.messages.cancelMessage(request.message.id)).toBe('cancelled')
  })

  it('accepts no message for a number that now belongs to another account, and charges nothing', async () => {
    const [one, two] = [await newAccount(), await newAccount()]
    expect(await store.messages.acceptMessage(requestFor(two, { sessionId: numbers.get(one)! }))).toEqual({
      kind: 'foreign',
    })
    expect(await store.messages.acceptMessage(requestFor(two, { sessionId: 'nobody@s.whatsapp.net' }))).toEqual({
      kind: 'foreign',
    })
    expect(await store.usage.readUsage({ accountId: two, from: '2020-01-01', to: '2100-01-01' })).toEqual([])
  })

  it('fails only the item of a stale lease in a batch, not its neighbours', async () => {
    const accountId = await newAccount()
    const session = await registerTestSession(store, accountId, true)
    const requests = Array.from({ length: 20 }, () => requestFor(accountId, { sessionId: session.jid }))
    await Promise.all(requests.map(request => store.messages.acceptMessage(request)))
    const lease = (i: number) => (i % 5 === 0 ? { ...session.lease, epoch: 99 } : session.lease)
    const begun = await Promise.all(
      requests.map((request, i) =>
        store.commands.beginAttempt({ lease: lease(i), commandId: request.message.id, attempt: 1 }),
      ),
    )
    expect(begun).toEqual(requests.map((_, i) => (i % 5 === 0 ? 'lost' : 'begun')))
  })

  it('sends wake-ups after the commit, to this node and to others', async () => {
    const other = await openAttached(store.attach())
    const accountId = await newAccount()
    const messageOf = new Map<string, string>()
    /** A woken reader queries immediately, in the store that woke it. */
    const listenTo = (woken: Store) => {
      const received: Array<{ id: string; found: ReturnType<Store['messages']['getMessage']> }> = []
      const stop = woken.signals.on('commands', ({ sessionId }) => {
        const id = messageOf.get(sessionId)
        if (id !== undefined) received.push({ id, found: woken.messages.getMessage(id) })
      })
      return { received, stop }
    }
    const listeners = [listenTo(store), listenTo(other)]
    const accept = async () => {
      const { jid } = await registerTestSession(store, accountId, true)
      const request = requestFor(accountId, { sessionId: jid })
      messageOf.set(request.message.sessionId, request.message.id)
      await store.messages.acceptMessage(request)
      return request.message.id
    }
    // The other store begins to listen shortly after it is open.
    await until(async () => {
      await accept()
      return listeners.every(({ received }) => received.length > 0)
    })
    const accepted: string[] = []
    for (let n = 0; n < 20; n++) accepted.push(await accept())
    for (const { received, stop } of listeners) {
      await until(() => accepted.every(id => received.some(each => each.id === id)))
      stop()
      for (const { id, found } of received) expect(await found).toMatchObject({ id, state: 'queued' })
    }
    await other.close()
  })

  it('enforces the plan’s number of sessions under concurrency; linking again is not a new number', async () => {
    const accountId = await newAccount()
    await store.sessions.forgetSession({ sessionId: numbers.get(accountId)!, accountId, detail: 'unlinked' })
    const register = (n: number) =>
      store.sessions.registerSession({
        accountId,
        id: `1666${process.pid}${n}@s.whatsapp.net`,
        phone: `1666${process.pid}${n}`,
        device: 1,
        label: '',
        platform: 'whatsapp',
        maxSessions: 3,
      })
    const results = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(register))
    expect(results.filter(result => result === 'registered')).toHaveLength(3)
    expect(tooManyNumbers('whatsapp', 3).detail).toBe("rate limit exceeded: the plan's limit of 3 numbers is reached")
    const registered = results.indexOf('registered') + 1
    expect(await register(registered)).toBe('registered')
  })

  it('checks a number that its account’s limit did not count when it is linked again, also under concurrency', async () => {
    const accountId = await newAccount()
    await store.sessions.forgetSession({ sessionId: numbers.get(accountId)!, accountId, detail: 'unlinked' })
    const numberOf = (n: number) => ({
      accountId,
      id: `1777${process.pid}${n}@s.whatsapp.net`,
      phone: `1777${process.pid}${n}`,
      device: 1,
      label: '',
    })
    const link = (n: number, maxSessions: number | null) =>
      store.sessions.registerSession({ ...numberOf(n), platform: 'whatsapp', maxSessions })
    for (const n of [1, 2, 3]) {
      await link(n, null)
      const lease = await takeSession(store, numberOf(n).id)
      const memory = { state: 'logged_out' as const, downSince: null, reported: null }
      await store.sessions.recordLink({ lease: lease!, memory, trouble: null, event: null })
    }
    await store.sessions.registerSession({ ...numberOf(4), platform: 'sandbox', maxSessions: null })
    const results = await Promise.all([1, 2, 3, 4].map(n => link(n, 2)))
    expect(results.filter(result => result === 'registered')).toHaveLength(2)
    expect(await store.sessions.countNumbers({ accountId, platform: 'whatsapp' })).toBe(2)
    const linked = results.indexOf('registered') + 1
    expect(await link(linked, 2)).toBe('registered')
  })

  it('keeps a number in one account: linking it elsewhere moves it and disables the old webhook', async () => {
    const [one, two] = [await newAccount(), await newAccount()]
    const session = await registerTestSession(store, one, true)
    const id = makeId('wh')
    const urls = { messages: 'https://example.com', status: '', connection: '', events: '' }
    await store.webhooks.createWebhook({
      id,
      accountId: one,
      sessionId: session.jid,
      phone: session.phone,
      urls,
      sealedSecret: seal.seal('s', 'x'),
    })
    const link = (accountId: string) =>
      store.sessions.registerSession({
        accountId,
        id: session.jid,
        phone: session.phone,
        device: 2,
        label: '',
        platform: 'whatsapp',
        maxSessions: null,
      })
    await link(two)
    expect((await store.sessions.getSession(session.jid))?.accountId).toBe(two)
    expect((await store.webhooks.getWebhook(id))?.active).toBe(false)
    await link(one)
    expect((await store.webhooks.getWebhook(id))?.active).toBe(true)
  })

  it('deletes expired data, and nothing else', async () => {
    const accountId = await newAccount()
    const kept = requestFor(accountId)
    await store.messages.acceptMessage(kept)
    await store.requests.addRequest({
      id: makeId('req'),
      to: { kind: 'session', sessionId: numbers.get(accountId)!, accountId },
      kind: 'typing',
      sealed: Buffer.from('x'),
      timeoutMs: 1,
    })
    await until(async () => {
      await store.retention.dropExpired()
      return (await store.requests.readRequests({ sessionId: numbers.get(accountId)!, exceptIds: [] })).length === 0
    })
    expect(await store.messages.getMessage(kept.message.id)).toBeDefined()
    expect(await store.messages.readMessageContent(kept.message.id)).toBeDefined()
  })

  it('lets a sign-in link work once; ended portal sessions stay ended', async () => {
    const accountId = makeId('acc')
    const user = { id: makeId('usr'), email: `${accountId}@x.example`, passwordHash: null, isOperator: false }
    await store.accounts.createAccount({
      id: accountId,
      name: 'x',
      plan: 'free',
      limitOverrides: {},
      acceptTosVersion: null,
      user,
      key: null,
    })
    const tokenHash = randomBytes(32)
    await store.users.createSignInLink({ tokenHash, userId: user.id, lifetimeMs: 60_000 })
    const taken = await Promise.all([1, 2, 3, 4].map(() => store.users.takeSignInLink(tokenHash)))
    expect(taken.filter(each => each === user.id)).toHaveLength(1)
    const session = randomBytes(32)
    await store.users.createPortalSession({ tokenHash: session, userId: user.id, lifetimeMs: 60_000 })
    const late = { tokenHash: Buffer.from('late'), userId: user.id, lifetimeMs: 60_000, passwordHash: 'of before' }
    expect(await store.users.createPortalSession(late)).toBe(false)
    expect(await store.users.findPortalSession(late.tokenHash)).toBeUndefined()
    expect((await store.users.findPortalSession(session))?.user.id).toBe(user.id)
    await store.users.endPortalSession(session)
    expect(await store.users.findPortalSession(session)).toBeUndefined()
  })

  it('creates a setting once, whichever process is first', async () => {
    const name = makeId('node')
    const values = await Promise.all(
      Array.from({ length: 10 }, (_, i) => store.settings.initSetting({ name, value: `v${i}` })),
    )
    expect(new Set(values).size).toBe(1)
  })
})
