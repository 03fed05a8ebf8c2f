import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BOUNDS } from '../../src/domain/bounds.ts'
import type { MessageEvent } from '../../src/domain/event.ts'
import { aboutInbox } from '../../src/domain/sealed.ts'
import { DataError, StoreUnavailable } from '../../src/store/transaction.ts'
import { incomingText } from '../harness/fake-platform.ts'
import { type HostedNumber, type HostingBed, openHosting } from '../harness/hosting.ts'
import { ONE_STORE } from '../harness/stores.ts'
import { until } from '../harness/until.ts'
import { storeWith } from '../harness/store-with.ts'
import { beatFor, takeSession } from '../harness/leases.ts'
import type { SessionLease } from '../../src/domain/lease.ts'

const ADA = '15550001111@s.whatsapp.net'

describe.each(ONE_STORE)('The inbox of a session on %s', kind => {
  let bed: HostingBed
  let number: HostedNumber
  let worker: ReturnType<HostingBed['startWorker']>

  beforeEach(async () => {
    bed = await openHosting(kind)
    number = await bed.addNumber()
    worker = bed.startWorker()
    await bed.connected(number)
  })
  afterEach(() => bed.close())

  const texts = async (): Promise<string[]> =>
    (await bed.events(number))
      .filter((event): event is MessageEvent => event.kind === 'message')
      .map(({ text }) => text)
  const receive = (text: string, chat: string, key?: string) =>
    bed.network.receive(number.sessionId, incomingText(number.sessionId, chat, text), {
      chat: `${chat}@s.whatsapp.net`,
      ...(key !== undefined && { key }),
    })

  it('turns every item into exactly one event, in order within its chat', async () => {
    for (let i = 0; i < 30; i++) await receive(`a${i}`, '15550001111')
    await until(async () => (await texts()).length === 30)
    expect(await texts()).toEqual(Array.from({ length: 30 }, (_, i) => `a${i}`))
    const [usage] = await bed.store.usage.readUsage({
      accountId: number.accountId,
      from: '2020-01-01',
      to: '2100-01-01',
    })
    expect(usage!.received).toBe(30)
    expect((await bed.store.sessions.getSession(number.sessionId))!.lastEventAt).not.toBeNull()
  })

  it('delays only the chat of a slow item', async () => {
    let release: () => void = () => {}
    const slow = new Promise<void>(resolve => (release = resolve))
    bed.network.interpretAs('slow', async item => {
      await slow
      return JSON.parse(Buffer.from(item.body).toString())
    })
    await receive('slow media', '15550001111', 'slow')
    await receive('behind it', '15550001111')
    await receive('elsewhere', '15550002222')
    await until(async () => (await texts()).length === 1)
    expect(await texts()).toEqual(['elsewhere'])
    release()
    await until(async () => (await texts()).length === 3)
    expect((await texts()).slice(1)).toEqual(['slow media', 'behind it'])
  })

  it('publishes items without files however many files are slow, in however many chats, and files keep their order', async () => {
    let release: () => void = () => {}
    const slow = new Promise<void>(resolve => (release = resolve))
    const fileFrom = async (chat: string, text: string) => {
      bed.network.interpretAs(text, async item => {
        await slow
        return JSON.parse(Buffer.from(item.body).toString())
      })
      await bed.network.receive(number.sessionId, incomingText(number.sessionId, chat, text), {
        chat: `${chat}@s.whatsapp.net`,
        kind: 'file_message',
        key: text,
      })
    }
    for (let i = 10; i < 30; i++) await fileFrom(`155500033${i}`, `file ${i}`)
    await receive('behind a file', '15550003310')
    await receive('elsewhere', '15550002222')
    await until(async () => (await texts()).length === 1)
    expect(await texts()).toEqual(['elsewhere'])
    release()
    await until(async () => (await texts()).length === 22)
    expect((await texts()).indexOf('behind a file')).toBeGreaterThan((await texts()).indexOf('file 10'))
  })

  it('makes one event of a stanza that is delivered twice', async () => {
    await receive('once', '15550001111', 'twin')
    await receive('once', '15550001111', 'twin')
    await receive('last', '15550001111')
    await until(async () => (await texts()).includes('last'))
    expect(await texts()).toEqual(['once', 'last'])
    expect(await bed.network.storage(number.sessionId).knownInboxKeys(['twin', 'other'])).toEqual(new Set(['twin']))
  })

  it('abandons an item that cannot be interpreted after 3 attempts, counts and keeps it, and continues with the rest', async () => {
    let tries = 0
    bed.network.interpretAs('poison', async () => {
      tries++
      throw new Error('cannot be understood')
    })
    await receive('poison', '15550001111', 'poison')
    await receive('after', '15550001111')
    await until(async () => (await texts()).length === 1)
    expect(tries).toBe(3)
    expect(await texts()).toEqual(['after'])
    const rows = await bed.query<{ reason: string; sealed: Uint8Array }>(
      "select reason, sealed from inbox where key = 'poison'",
    )
    expect(rows[0]!.reason).toBe('poison')
    expect(rows[0]!.sealed).not.toBeNull()
    const metric = await bed.context.metrics.stanzas.get()
    expect(metric.values.find(value => value.labels.reason === 'poison')?.value).toBe(1)
  })

  it('keeps the latest 500 bodies of abandoned items, whichever way they came', async () => {
    const { sessionId } = number
    const bodies = async () =>
      (await bed.query<{ key: string }>("select key from inbox where reason = 'poison' and sealed is not null")).map(
        row => row.key,
      )
    await bed.query(
      `insert into inbox (session_id, key, seq, kind, chat, received_at, sealed, done_at, reason)
       with recursive n(i) as (select 1 union all select i + 1 from n where i < ${BOUNDS.poisonKept})
       select '${sessionId}', 'old-' || i, i, 'message', '', 1, ${kind === 'sqlite' ? "x'00'" : "'\\x00'::bytea"}, 1000 + i, 'poison' from n`,
    )
    await bed.network.receive(sessionId, { kind: 'none', reason: '' }, { key: 'unreadable', poison: true })
    expect(await bodies()).toHaveLength(BOUNDS.poisonKept)
    bed.network.interpretAs('fails', () => Promise.reject(new Error('cannot be understood')))
    await receive('fails', '15550001111', 'fails')
    await until(async () => (await bodies()).includes('fails'))
    const kept = await bodies()
    expect(kept).toHaveLength(BOUNDS.poisonKept)
    expect(kept).toContain('unreadable')
    for (const gone of ['old-1', 'old-2']) expect(kept).not.toContain(gone)
    expect(kept).toContain('old-3')
    expect((await bed.store.inbox.readPoison()).total).toBe(BOUNDS.poisonKept + 2)
    const metric = await bed.context.metrics.stanzas.get()
    expect(metric.values.find(value => value.labels.reason === 'poison')?.value).toBe(2)
  })

  it('counts an item without an event with its reason, and drops its body', async () => {
    await bed.network.receive(number.sessionId, { kind: 'none', reason: 'own_phone' }, { key: 'own' })
    await until(
      async () => (await bed.query("select 1 from inbox where done_at is not null and key = 'own'")).length === 1,
    )
    const [row] = await bed.query<{ reason: string; sealed: unknown }>(
      "select reason, sealed from inbox where key = 'own'",
    )
    expect(row).toEqual({ reason: 'own_phone', sealed: null })
  })

  /** Stores items, each of its chat, as a host leaves them that ends before it has published them. */
  const leaveItems = async (items: Array<{ text: string; chat: string }>): Promise<SessionLease> => {
    const { sessionId } = number
    const lease = await takeSession(bed.store, sessionId, { owner: 'dead' })
    const item = ({ text, chat }: { text: string; chat: string }, seq: number) => {
      const body = JSON.stringify(incomingText(sessionId, chat.split('@')[0]!, text))
      const sealed = bed.seal.seal(body, aboutInbox(sessionId, `left-${seq}`))
      return { key: `left-${seq}`, seq: 1_000 + seq, kind: 'message', chat, receivedAt: Date.now(), sealed }
    }
    await bed.store.devices.commitDeviceState({
      lease: lease!,
      creds: null,
      keys: [],
      inbox: items.map(item),
      sent: [],
    })
    return lease!
  }

  /** As a host leaves it that dies right after the platform has unlinked the device. */
  const leaveUnhosted = async (texts_: string[]): Promise<void> => {
    const lease = await leaveItems(texts_.map(text => ({ text, chat: ADA })))
    const memory = { state: 'logged_out', downSince: Date.now(), reported: 'logged_out' } as const
    await bed.store.sessions.recordLink({ lease, memory, trouble: null, event: null })
    await bed.store.leases.releaseLeases([lease])
  }

  it('publishes what a device received before it was logged out on any worker, once and in order', async () => {
    await worker.stop()
    await leaveUnhosted(['one', 'two', 'three'])
    bed.startWorker()
    bed.startWorker()
    await until(async () => (await texts()).length === 3)
    await until(async () => !(await bed.store.sessions.getSession(number.sessionId))!.hosted)
    expect(await texts()).toEqual(['one', 'two', 'three'])
    expect(await bed.store.sessions.getSession(number.sessionId)).toMatchObject({ state: 'logged_out' })
    expect(bed.network.isOpen(number.sessionId)).toBe(false)
    expect(await bed.query('select 1 from inbox where done_at is null')).toHaveLength(0)
  })

  it('finds a logged-out number again that was not released because the database was unreachable', async () => {
    await worker.stop()
    await leaveUnhosted(['one'])
    // It has no owner, so that the worker below does not find it before it has a name.
    await bed.query(`update leases set owner = 'nobody' where id = '${number.sessionId}' returning id`)
    await bed.addNumber()
    bed.startWorker()
    const holders = () => bed.query<{ id: string }>("select id from holders where pool = 'whatsapp'")
    await until(async () => (await holders()).length === 1)
    const [holder] = await holders()
    await bed.query(
      `update leases set owner = '${holder!.id}', changed_at = changed_at - 61000
       where id = '${number.sessionId}' returning id`,
    )
    await until(async () => (await texts()).length === 1)
  })

  it('a logged-out number is looked for again only a minute after its host took it, and only while it has a session', async () => {
    await worker.stop()
    await leaveUnhosted(['one'])
    const { sessionId } = number
    const host = { id: 'host', nodeId: 'node', platform: 'whatsapp' as const }
    await beatFor(bed.store, host.id, 600_000)
    expect(await bed.store.inbox.hasUnhostedInbox(host)).toBe(true)
    const taken = () => bed.store.inbox.takeUnhostedInboxes({ ...host, limit: 10 })
    expect(await taken()).toHaveLength(1)
    expect(await bed.store.inbox.hasUnhostedInbox(host)).toBe(false)
    await bed.query(`update leases set changed_at = changed_at - 61000 where id = '${sessionId}' returning id`)
    expect(await bed.store.inbox.hasUnhostedInbox(host)).toBe(true)
    await bed.query(`delete from sessions where id = '${sessionId}' returning id`)
    expect(await taken()).toEqual([])
    expect(await bed.store.inbox.hasUnhostedInbox(host)).toBe(false)
  })

  it('a lease that is lost while its process lives is not counted as a death of its host', async () => {
    let begun = 0
    let finish: () => void = () => {}
    bed.network.interpretAs('slow', async item => {
      begun++
      await new Promise<void>(resolve => (finish = resolve))
      return JSON.parse(Buffer.from(item.body).toString())
    })
    await receive('slow', '15550001111', 'slow')
    await until(() => begun === 1)
    await worker.stop()
    worker = bed.startWorker()
    for (let losses = 1; losses <= 5; losses++) {
      await until(() => begun === losses + 1)
      await bed.query(`update leases set owner = null, epoch = epoch + 1 where id = '${number.sessionId}' returning id`)
      finish()
    }
    await until(() => begun === 7)
    finish()
    await until(async () => (await texts()).length === 1)
  })

  it('the death of a host is counted once, however often the write of it is repeated', async () => {
    bed.network.interpretAs('slow', () => new Promise(() => {}))
    await receive('slow', '15550001111', 'slow')
    let isLost = true
    await restartWith(
      {},
      {
        recordBegunBy: async input => {
          const outcome = await bed.store.inbox.recordBegunBy(input)
          if (!isLost) return outcome
          isLost = false
          throw away()
        },
      },
    )
    const begunBy = async () =>
      (await bed.query<{ begun_by: string | null }>("select begun_by from inbox where key = 'slow'"))[0]!.begun_by
    await until(async () => !isLost && (await begunBy()) !== null)
    await bed.clock.sleep(300)
    expect(JSON.parse((await begunBy())!)).toHaveLength(1)
  })

  it('tries of a message are counted once, however often the write of them is repeated', async () => {
    let isLost = true
    await restartWith(
      {},
      {
        recordMessageTries: async input => {
          const outcome = await bed.store.inbox.recordMessageTries(input)
          if (!isLost) return outcome
          isLost = false
          throw away()
        },
      },
    )
    const storage = bed.network.storage(number.sessionId)
    await storage.recordTries(new Map([['m/a', 1]]))
    expect(isLost).toBe(false)
    expect(await storage.readTries()).toEqual(new Map([['m/a', 1]]))
    await storage.recordTries(new Map([['m/a', 0]]))
    expect(await storage.readTries()).toEqual(new Map())
  })

  it('items that a host may have died of wait for each other and hold up no other chat', async () => {
    await worker.stop()
    const chats = Array.from({ length: 12 }, (_, i) => `155500077${10 + i}@s.whatsapp.net`)
    await leaveItems(chats.map((chat, i) => ({ text: `suspect ${i}`, chat })))
    const begun: string[] = []
    for (let i = 0; i < chats.length; i++)
      bed.network.interpretAs(`left-${i}`, ({ key }) => {
        begun.push(key)
        return new Promise(() => {})
      })
    await bed.query(`update inbox set begun_by = '["gone"]' where key like 'left-%' returning key`)
    await bed.query(`update leases set owner = null where id = '${number.sessionId}' returning id`)
    worker = bed.startWorker()
    await until(() => begun.length === 1)
    await receive('fresh', '15550002222')
    await until(async () => (await texts()).length === 1)
    expect(await texts()).toEqual(['fresh'])
    expect(begun).toEqual(['left-0'])
  })

  it('finds what replies, votes and repeated requests need', async () => {
    const secret = Buffer.from('0123456789abcdef0123456789abcdef')
    const meaning = incomingText(number.sessionId, '15550001111', 'poll')
    const storage = bed.network.storage(number.sessionId)
    bed.network.interpretAs('poll', async () => ({
      ...(meaning as Extract<typeof meaning, { kind: 'events' }>),
      remember: [{ messageId: 'POLL1', chatJid: ADA, senderJid: ADA, fromMe: false, secret, isAnswered: true }],
    }))
    await receive('poll', '15550001111', 'poll')
    await until(async () => (await texts()).length === 1)
    expect(await storage.readSeen('POLL1', [ADA])).toEqual({
      messageId: 'POLL1',
      chatJid: ADA,
      senderJid: ADA,
      fromMe: false,
      secret,
    })
    const sent = await bed.send(number, ADA, 'mine')
    await until(async () => (await bed.stateOf(sent)) === 'sent')
    expect(Buffer.from((await storage.readSent(sent.platformId))!).toString()).toBe('mine')
    expect(await storage.readSeen(sent.platformId, [ADA])).toMatchObject({ chatJid: ADA, fromMe: true })
    expect(await storage.readSeen('unknown')).toBeUndefined()
    for (const id of ['POLL1', sent.platformId]) {
      expect(await storage.readSeen(id, ['15550002222@s.whatsapp.net'])).toBeUndefined()
      expect(await storage.readSeen(id)).toMatchObject({ chatJid: ADA })
    }
  })

  it('stores keys in one commit, encrypted at rest and visible to the next read', async () => {
    const storage = bed.network.storage(number.sessionId)
    const value = Buffer.from('a private key that must not lie about')
    const writing = storage.commit({
      keys: [
        { category: 'session', id: 'a', value },
        { category: 'session', id: 'b', value },
      ],
    })
    expect((await storage.readKeys('session', ['a'])).get('a')).toEqual(value)
    await writing
    await storage.commit({ keys: [{ category: 'session', id: 'a', value: null }] })
    expect([...(await storage.readKeys('session', ['a', 'b', 'c'])).keys()]).toEqual(['b'])
    const rows = await bed.query<{ id: string; sealed: Uint8Array }>(
      "select id, sealed from device_keys where category = 'session'",
    )
    expect(rows.map(row => row.id)).toEqual(['b'])
    expect(Buffer.from(rows[0]!.sealed).includes(value)).toBe(false)
  })

  /** A worker whose store has one replaced method. */
  const restartWith = async (
    devices: Partial<HostingBed['store']['devices']>,
    inbox: Partial<HostingBed['store']['inbox']> = {},
  ): Promise<void> => {
    await worker.stop()
    worker = bed.startWorker({ store: storeWith(bed.store, { devices, inbox }) })
    await until(() => bed.network.isOpen(number.sessionId))
  }
  const away = () => new StoreUnavailable('the connection was lost')

  it('reads keys again from the store after their commit failed', async () => {
    let fails = false
    await restartWith({
      commitDeviceState: async change => {
        if (fails) throw new DataError('the change was refused')
        return await bed.store.devices.commitDeviceState(change)
      },
    })
    const storage = bed.network.storage(number.sessionId)
    const read = async () => (await storage.readKeys('session', ['ada'])).get('ada')?.toString()
    await storage.commit({ keys: [{ category: 'session', id: 'ada', value: Buffer.from('first') }] })
    fails = true
    const second = { keys: [{ category: 'session', id: 'ada', value: Buffer.from('second') }] }
    await expect(storage.commit(second)).rejects.toThrow('the change was refused')
    expect(await read()).toBe('first')
    fails = false
    await storage.commit(second)
    expect(await read()).toBe('second')
  })

  it('does not treat a briefly unreachable database as a missing key', async () => {
    const value = Buffer.from('kept')
    const before = bed.network.storage(number.sessionId)
    await before.commit({ keys: [{ category: 'session', id: 'ada', value }] })
    let reads = 0
    await restartWith({
      readDeviceKeys: async input => {
        if (++reads < 3) throw away()
        return await bed.store.devices.readDeviceKeys(input)
      },
    })
    const found = await bed.network.storage(number.sessionId).readKeys('session', ['ada'])
    expect(found.get('ada')).toEqual(value)
    expect(reads).toBe(3)
  })

  it('publishes an item once, before later ones, if its commit succeeded but the response was lost', async () => {
    let losesResponse = true
    await restartWith({
      commitDeviceState: async change => {
        const outcome = await bed.store.devices.commitDeviceState(change)
        if (change.inbox.length === 0 || !losesResponse) return outcome
        losesResponse = false
        throw away()
      },
    })
    await receive('unheard', '15550001111', 'unheard')
    expect(losesResponse).toBe(false)
    await receive('heard', '15550001111')
    await until(async () => (await texts()).length === 2)
    expect(await texts()).toEqual(['unheard', 'heard'])
  })

  it('publishes an item that arrives while the store is read for earlier ones', async () => {
    await receive('first', '15550001111')
    await until(async () => (await texts()).length === 1)
    let isFirst = true
    await restartWith(
      {},
      {
        readInbox: async input => {
          const rows = await bed.store.inbox.readInbox(input)
          if (isFirst) {
            isFirst = false
            await until(() => bed.network.isOpen(number.sessionId))
            await receive('meanwhile', '15550001111')
          }
          return rows
        },
      },
    )
    await until(async () => (await texts()).length === 2)
    expect(await texts()).toEqual(['first', 'meanwhile'])
  })
})
