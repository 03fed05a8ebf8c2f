import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { addSandboxNumber } from '../../src/actions/add-sandbox-number.ts'
import { startPairing, watchPairing } from '../../src/actions/pair-session.ts'
import type { ConnectionEvent } from '../../src/domain/event.ts'
import { aboutPairing } from '../../src/domain/sealed.ts'
import type { PlatformName } from '../../src/domain/session.ts'
import { StoreUnavailable } from '../../src/store/transaction.ts'
import { type HostingBed, openHosting } from '../harness/hosting.ts'
import { ONE_STORE } from '../harness/stores.ts'
import { until } from '../harness/until.ts'
import { storeWith } from '../harness/store-with.ts'

const PHONE = '15557770001'
const SESSION = `${PHONE}@s.whatsapp.net`

describe.each(ONE_STORE)('Pairing on %s', kind => {
  let bed: HostingBed
  let accountId: string

  beforeEach(async () => {
    bed = await openHosting(kind)
    accountId = await bed.addAccount()
    bed.startWorker()
  })
  afterEach(() => bed.close())

  const begin = (of = accountId, platform: PlatformName = 'whatsapp', phone: string | null = null) =>
    startPairing(bed.context, { accountId: of, method: 'qr', phone, label: 'Support', platform })
  const acceptLast = async (phone: string, nth: number) => {
    await until(() => bed.network.pairings.length === nth)
    bed.network.pairings.at(-1)!.accept(phone)
  }
  const connections = async (owner = accountId) =>
    (await bed.events({ accountId: owner, sessionId: SESSION }))
      .filter((event): event is ConnectionEvent => event.kind === 'connection')
      .map(event => event.event)

  it('shows the code, that it was scanned, and the number; then the number is connected', async () => {
    await bed.addWebhook(accountId, SESSION)
    const pairing = await begin()
    const steps: string[] = []
    for await (const step of watchPairing(bed.context, pairing.id, new AbortController().signal)) {
      steps.push(step.status)
      if (step.status === 'waiting') {
        const shown = bed.seal.openJson<{ qr: string }>(step.step!, aboutPairing(step.id))
        expect(shown.qr).toMatch(/^qr-/)
        bed.network.pairings.at(-1)!.accept(PHONE)
      }
    }
    expect(steps.at(-1)).toBe('linked')
    expect(steps).toContain('waiting')
    await bed.connected({ accountId, sessionId: SESSION })
    expect(await bed.store.sessions.getSession(SESSION)).toMatchObject({
      accountId,
      device: 7,
      label: 'Support',
      hosted: true,
    })
    expect(await connections()).toEqual(['connected'])
  })

  it('that is cancelled ends at the worker: its code links nothing, and the worker is free for the next', async () => {
    const pairing = await begin()
    await until(() => bed.network.pairings.length === 1)
    await bed.store.pairings.endPairing({ id: pairing.id, status: 'cancelled', error: null })
    await until(() => bed.network.pairings[0]!.signal.aborted)
    bed.network.pairings[0]!.accept(PHONE)
    const next = await begin()
    await acceptLast('15557770002', 2)
    await until(async () => (await bed.store.pairings.getPairing(next.id))!.status === 'linked')
    expect((await bed.store.pairings.getPairing(pairing.id))!.status).toBe('cancelled')
    expect(await bed.store.sessions.getSession(SESSION)).toBeUndefined()
    expect(bed.network.discarded).toEqual([])
  })

  it('that was cancelled before the phone accepted unlinks the device again, and links nothing', async () => {
    const pairing = await begin()
    await until(() => bed.network.pairings.length === 1)
    bed.network.pairings[0]!.accept(PHONE, () =>
      bed.store.pairings.endPairing({ id: pairing.id, status: 'cancelled', error: null }),
    )
    await until(() => bed.network.discarded.length > 0)
    expect(bed.network.discarded).toEqual([SESSION])
    expect((await bed.store.pairings.getPairing(pairing.id))!.status).toBe('cancelled')
    expect(await bed.store.sessions.getSession(SESSION)).toBeUndefined()
  })

  it('the same number twice links it again: waiting messages are sent, and connected is published again', async () => {
    await bed.addWebhook(accountId, SESSION)
    await begin()
    await acceptLast(PHONE, 1)
    const number = { accountId, sessionId: SESSION }
    await bed.connected(number)
    bed.network.logOut(SESSION)
    await until(async () => (await bed.store.sessions.getSession(SESSION))!.state === 'logged_out')
    await begin()
    await acceptLast(PHONE, 2)
    await bed.connected(number)
    const sent = await bed.send(number, '15550001111', 'again')
    await until(async () => (await bed.stateOf(sent)) === 'sent')
    expect(await connections()).toEqual(['connected', 'logged_out', 'connected'])
    expect(await bed.query('select id from sessions')).toHaveLength(1)
  })

  it('a number that is linked replaces its link', async () => {
    await begin()
    await acceptLast(PHONE, 1)
    const number = { accountId, sessionId: SESSION }
    await bed.connected(number)
    const before = bed.network.linkId(SESSION)
    await begin()
    await acceptLast(PHONE, 2)
    await until(() => bed.network.linkId(SESSION) > before && bed.network.isOpen(SESSION))
    const sent = await bed.send(number, '15550001111', 'through the new link')
    await until(async () => (await bed.stateOf(sent)) === 'sent')
    expect(bed.network.frames.at(-1)!.link).toBe(bed.network.linkId(SESSION))
  })

  it('in another account moves the number: the old webhook is off, and its messages end', async () => {
    const oldHook = await bed.addWebhook(accountId, SESSION)
    await begin()
    await acceptLast(PHONE, 1)
    await bed.connected({ accountId, sessionId: SESSION })
    const waiting = await bed.send({ accountId, sessionId: SESSION }, '15550001111', 'later', {
      sendAt: Date.now() + 60_000,
    })
    const other = await bed.addAccount()
    await begin(other)
    await acceptLast(PHONE, 2)
    await until(async () => (await bed.store.sessions.getSession(SESSION))!.accountId === other)
    expect((await bed.store.webhooks.getWebhook(oldHook))!.active).toBe(false)
    expect(await bed.store.messages.getMessage(waiting.messageId)).toMatchObject({
      state: 'failed',
      reason: 'SEND_FAILED',
    })
    expect(await bed.query('select id from commands')).toHaveLength(0)
  })

  it('respects the plan’s limit of numbers, even if two pairings complete at once', async () => {
    const free = await bed.addAccount('free')
    const first = await begin(free)
    const second = await begin(free)
    await until(() => bed.network.pairings.length === 2)
    bed.network.pairings[0]!.accept('15557770011')
    bed.network.pairings[1]!.accept('15557770012')
    await until(async () => {
      const states = await Promise.all(
        [first, second].map(async ({ id }) => (await bed.store.pairings.getPairing(id))!.status),
      )
      return states.sort().join() === 'failed,linked'
    })
    await expect(begin(free)).rejects.toMatchObject({ detail: expect.stringContaining('limit of 1 numbers') })
  })

  it('counts a device that was logged out when it is paired again: it does not return next to its successor', async () => {
    const free = await bed.addAccount('free')
    await begin(free)
    await acceptLast(PHONE, 1)
    await bed.connected({ accountId: free, sessionId: SESSION })
    // Begun while there is room, as a customer would who wants more numbers than the plan has.
    bed.network.logOut(SESSION)
    await until(async () => (await bed.store.sessions.getSession(SESSION))!.state === 'logged_out')
    const [again, other] = [await begin(free), await begin(free)]
    await until(() => bed.network.pairings.length === 3)
    bed.network.pairings[1]!.accept('15557770031')
    const statusOf = async (id: string) => (await bed.store.pairings.getPairing(id))!.status
    const isOver = async () => ['linked', 'failed'].includes((await statusOf(again.id)) as string)
    await until(async () => (await isOver()) || (await statusOf(other.id)) === 'linked')
    bed.network.pairings[2]!.accept(PHONE)
    await until(async () => (await isOver()) && ['linked', 'failed'].includes(await statusOf(other.id)))
    expect([await statusOf(again.id), await statusOf(other.id)].sort()).toEqual(['failed', 'linked'])
    const live = await bed.query("select id from sessions where state <> 'logged_out'")
    expect(live).toHaveLength(1)
  })

  it('beyond the limit unlinks the device again, and shows the reason', async () => {
    const free = await bed.addAccount('free')
    const pairings = [await begin(free), await begin(free)]
    await until(() => bed.network.pairings.length === 2)
    bed.network.pairings[0]!.accept('15557770021')
    bed.network.pairings[1]!.accept('15557770022')
    const ends = await Promise.all(
      pairings.map(async ({ id }) => {
        let last
        for await (const step of watchPairing(bed.context, id, new AbortController().signal)) last = step
        return last!
      }),
    )
    const refused = ends.find(({ status }) => status === 'failed')
    expect(refused?.error).toBe("rate limit exceeded: the plan's limit of 1 numbers is reached")
    const linked = ends.find(({ status }) => status === 'linked')!.sessionId!
    expect(bed.network.discarded).toHaveLength(1)
    expect(bed.network.discarded).not.toContain(linked)
  })

  it('links and connects a sandbox number in one call, and the number is unique', async () => {
    const adding = addSandboxNumber(bed.context, { accountId, phone: '999000111', label: '' })
    await acceptLast('999000111', 1)
    expect(await adding).toMatchObject({ id: '999000111@s.whatsapp.net', platform: 'sandbox', state: 'connected' })
    const other = await bed.addAccount()
    await expect(addSandboxNumber(bed.context, { accountId: other, phone: '999000111', label: '' })).rejects.toThrow(
      'phone is taken',
    )
    await expect(begin(accountId, 'sandbox', '15550001111')).rejects.toThrow('begin with 999')
  })

  it('limits the sandbox numbers of an account too, even if two pairings complete at once', async () => {
    const few = await bed.addAccount('free', { sandbox_sessions: 1 })
    const pairings = [await begin(few, 'sandbox', '999000201'), await begin(few, 'sandbox', '999000202')]
    await until(() => bed.network.pairings.length === 2)
    bed.network.pairings[0]!.accept('999000201')
    bed.network.pairings[1]!.accept('999000202')
    await until(async () => {
      const states = await Promise.all(
        pairings.map(async ({ id }) => (await bed.store.pairings.getPairing(id))!.status),
      )
      return states.sort().join() === 'failed,linked'
    })
    await expect(addSandboxNumber(bed.context, { accountId: few, phone: null, label: '' })).rejects.toMatchObject({
      message: 'rate limit exceeded',
      detail: "rate limit exceeded: the plan's limit of 1 sandbox numbers is reached; delete one first",
    })
    const { phone } = (
      await bed.store.sessions.listSessions({ accountId: few, sessionIds: null, limit: 10, cursor: null })
    ).data[0]!
    const again = addSandboxNumber(bed.context, { accountId: few, phone, label: '' })
    await acceptLast(phone, 3)
    expect(await again).toMatchObject({ phone, state: 'connected' })
  })
})

describe.each(ONE_STORE)('Open pairings on %s', kind => {
  let bed: HostingBed
  beforeEach(async () => void (bed = await openHosting(kind)))
  afterEach(() => bed.close())
  const begin = (accountId: string) =>
    startPairing(bed.context, { accountId, method: 'qr', phone: null, label: '', platform: 'sandbox' })

  const withPairings = (pairings: Partial<HostingBed['store']['pairings']>): HostingBed['store'] =>
    storeWith(bed.store, { pairings })
  const away = () => new StoreUnavailable('the connection was lost')

  it('are processed once, even if the database was unreachable until the claim had expired', async () => {
    let renewals = 0
    const store = withPairings({
      claimPairings: input => bed.store.pairings.claimPairings({ ...input, ttlMs: 200 }),
      renewPairings: async input => {
        if (++renewals < 4) throw away()
        return await bed.store.pairings.renewPairings(input)
      },
    })
    bed.startWorker({ store })
    const pairing = await begin(await bed.addAccount())
    await until(() => renewals >= 6)
    expect(bed.network.pairings).toHaveLength(1)
    bed.network.pairings[0]!.accept(PHONE)
    await until(async () => (await bed.store.pairings.getPairing(pairing.id))!.status === 'linked')
  })

  it('are not ended by a worker that has lost its claim', async () => {
    const pairing = await begin(await bed.addAccount())
    const claim = (owner: string, ttlMs: number) =>
      bed.store.pairings.claimPairings({ owner, platform: 'sandbox', limit: 1, ttlMs })
    expect(await claim('slow', 0)).toHaveLength(1)
    expect(await claim('quick', 60_000)).toHaveLength(1)
    await bed.store.pairings.endPairing({ id: pairing.id, owner: 'slow', status: 'expired', error: null })
    expect((await bed.store.pairings.getPairing(pairing.id))!.status).toBe('pending')
    await bed.store.pairings.endPairing({ id: pairing.id, owner: 'quick', status: 'expired', error: null })
    expect((await bed.store.pairings.getPairing(pairing.id))!.status).toBe('expired')
  })

  it.each([
    ['before the number was registered', false],
    ['right after the number was registered', true],
  ])('link the number even if the database became unreachable %s', async (_, isRegistered) => {
    let tries = 0
    const store = withPairings({
      completePairing: async input => {
        const isFirst = ++tries === 1
        const isTried = !isFirst || isRegistered
        const completed = isTried ? await bed.store.pairings.completePairing(input) : ({ kind: 'over' } as const)
        if (isFirst) throw away()
        return completed
      },
    })
    bed.startWorker({ store })
    const accountId = await bed.addAccount()
    const pairing = await begin(accountId)
    await until(() => bed.network.pairings.length === 1)
    bed.network.pairings[0]!.accept(PHONE)
    await until(async () => (await bed.store.pairings.getPairing(pairing.id))!.status === 'linked')
    // A host that did not receive the response finds the number when it reads its leases.
    await until(async () => {
      if ((await bed.store.sessions.getSession(SESSION))?.state === 'connected') return true
      await bed.nextBeat(1)
      return false
    })
    expect(bed.network.discarded).toEqual([])
    expect(tries).toBe(isRegistered ? 1 : 2)
  })

  it('are scheduled fairly by account: an account with many delays no other', async () => {
    const [many, few] = [await bed.addAccount(), await bed.addAccount()]
    const claim = async () => {
      const claimed = await bed.store.pairings.claimPairings({
        owner: 'me',
        platform: 'sandbox',
        limit: 2,
        ttlMs: 60_000,
      })
      return claimed.map(pairing => pairing.accountId).sort()
    }
    for (const accountId of [many, many, many, many, few, few]) await begin(accountId)
    expect(await claim()).toEqual([many, few].sort())
    expect(await claim()).toEqual([many, few].sort())
    expect(await claim()).toEqual([many, many])
    expect(await claim()).toEqual([])
  })

  it('show why no code comes, until one does; a pairing that expires keeps the reason', async () => {
    const accountId = await bed.addAccount()
    const why = 'the platform cannot be reached'
    let reachable = false
    const network = {
      ...bed.network,
      pair: async (...[request, onStep, signal]: Parameters<typeof bed.network.pair>) => {
        onStep({ kind: 'trouble', why })
        await until(() => reachable || signal.aborted)
        signal.throwIfAborted()
        return await bed.network.pair(request, onStep, signal)
      },
    }
    bed.startWorker({}, network)
    const read = async (id: string) => (await bed.store.pairings.getPairing(id))!
    const first = await begin(accountId)
    await until(async () => (await read(first.id)).error === why)
    expect((await read(first.id)).status).toBe('pending')
    await bed.store.pairings.endPairing({ id: first.id, status: 'expired', error: null })
    expect(await read(first.id)).toMatchObject({ status: 'expired', error: why })
    const second = await begin(accountId)
    await until(async () => (await read(second.id)).error === why)
    reachable = true
    await until(async () => (await read(second.id)).status === 'waiting')
    expect((await read(second.id)).error).toBeNull()
  })
})
