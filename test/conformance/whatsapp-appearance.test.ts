import type { Phone } from '@postern/simulator/phone/phone'
import type { LinkedDevice } from '@postern/simulator/world/device'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Appear } from '../../src/domain/session.ts'
import { makeId } from '../../src/domain/ids.ts'
import { type Stack, type StackNumber, startStack } from '../harness/whatsapp-stack.ts'
import { deviceOf } from '../harness/wire-fuzz/wire.ts'

/** The platform sends a phone no notifications while one of its devices is online. */

const DIGITS = '999591000011'
const HOOK = 'http://127.0.0.1:9/hook'

let stack: Stack
let number: StackNumber
let phone: Phone
let ana: Phone
let made = 0

beforeAll(async () => {
  stack = await startStack({ historySync: false })
  number = await stack.link(DIGITS)
  phone = stack.simulator.phone(DIGITS)
})
afterAll(() => stack.close())
beforeEach(async () => {
  ana = stack.simulator.phone(`55119591${String(20_000 + ++made)}`)
  await stack.bed.query(`delete from presence_subscriptions where session_id = '${number.jid}' returning session_id`)
  await setEventsUrl('')
  await appear('auto')
  await isShown(false)
  number.forget()
})

const device = (): LinkedDevice => deviceOf(stack.simulator.network, DIGITS)
const isShown = (isOnline: boolean) => stack.simulator.until(() => device().available === isOnline)
const appear = async (as: Appear) => {
  await stack.bed.store.sessions.updateSession({ id: number.jid, accountId: number.accountId, appear: as })
}
const setEventsUrl = async (url: string) => {
  const [webhook] = await stack.bed.query<{ id: string }>(`select id from webhooks where session_id = '${number.jid}'`)
  await stack.bed.store.webhooks.updateWebhook({ id: webhook!.id, urls: { events: url } })
}
const receive = async (text: string) => {
  const { id } = await ana.sendTo(number.jid, { type: 'text', text })
  await number.next('message', event => event.message_id === id)
  return id
}
/** How many notifications a message causes on the number's phone. */
const notifications = async () => {
  const before = phone.notifications
  await receive('hello')
  return phone.notifications - before
}

describe('A number without a program for typing and presence', () => {
  test('is offline: its phone is notified of every message, and confirms it to the sender', async () => {
    expect(await notifications()).toBe(1)
    expect(ana.tick(await receive('again'), DIGITS)).toBe('delivered')
  })

  test('confirms messages as inactive, which the sender does not see as delivered', async () => {
    const off = await stack.link('999591000012')
    stack.simulator.phone('999591000012').turnOff()
    await stack.bed.store.sessions.updateSession({ id: off.jid, accountId: off.accountId, appear: 'offline' })
    await stack.simulator.until(() => deviceOf(stack.simulator.network, '999591000012').available === false)
    const { id } = await ana.sendTo(off.jid, { type: 'text', text: 'hello' })
    await off.next('message', event => event.message_id === id)
    await stack.simulator.until(() => deviceOf(stack.simulator.network, '999591000012').outbox.entries.size === 0)
    expect(ana.tick(id, '999591000012')).toBeUndefined()
  })

  test('is still offline after a reconnect', async () => {
    stack.simulator.faults.cut(DIGITS)
    await stack.simulator.until(() => device().online && device().available === false)
    expect(await notifications()).toBe(1)
  })

  test('appears online while it shows a typing sign, and only then', async () => {
    const typing = (is: boolean) => number.run({ kind: 'typing', chatJid: ana.jid, typing: is, media: 'text' })
    await typing(true)
    await stack.simulator.until(() => ana.typingFrom(DIGITS) === 'composing')
    expect(device().available).toBe(true)
    await typing(false)
    await isShown(false)
    expect(ana.typingFrom(DIGITS)).toBe('paused')
    expect(await notifications()).toBe(1)
  })
})

describe('A number appears online and receives typing while', () => {
  const receivesTyping = async () => {
    await isShown(true)
    ana.typing(number.jid, 'composing')
    await number.next('typing')
    expect(await notifications()).toBe(0)
  }

  test('its webhook has an events_url', async () => {
    await setEventsUrl(HOOK)
    await receivesTyping()
    await setEventsUrl('')
    await isShown(false)
    ana.typing(number.jid, 'composing')
    expect(await notifications()).toBe(1)
    expect(number.events.filter(event => event.kind === 'typing')).toHaveLength(1)
  })

  test('a listener reads typing or presence', async () => {
    const { accountId } = number
    const { listeners } = stack.bed.store
    const open = async (kinds: Parameters<typeof listeners.openListener>[0]['kinds']) => {
      const id = makeId('lsn')
      await listeners.openListener({ id, accountId, sealedSecret: Buffer.from('sealed'), keptMs: 60_000, kinds })
      return id
    }
    await open(['message', 'receipt'])
    expect(await notifications()).toBe(1)
    const id = await open(['presence'])
    await isShown(true)
    expect(await notifications()).toBe(0)
    await listeners.closeListener({ id, accountId })
    await isShown(false)
  })

  test('an endpoint gets typing or presence', async () => {
    const { accountId } = number
    const { endpoints } = stack.bed.store
    const create = async (kinds: Parameters<typeof endpoints.createEndpoint>[0]['kinds']) => {
      const id = makeId('ep')
      await endpoints.createEndpoint({
        id,
        accountId,
        url: 'http://127.0.0.1:9000/',
        keepHours: null,
        description: '',
        kinds,
        sessionIds: null,
        direction: null,
        include: [],
        headers: { names: [], sealed: null },
        signature: 'postern',
        retry: 'eager',
        reply: false,
        active: true,
        sealedSecret: Buffer.from('sealed'),
      })
      return id
    }
    const ids = [await create(null)]
    expect(await notifications()).toBe(1)
    ids.push(await create(['typing']))
    await isShown(true)
    for (const id of ids) await endpoints.deleteEndpoint(id)
    await isShown(false)
  })

  test('it is subscribed to the presence of a contact, also after a reconnect', async () => {
    await number.run({ kind: 'presence_subscribe', contactJid: ana.jid })
    await isShown(true)
    await stack.simulator.until(() => device().subscriptions.size > 0)
    stack.simulator.faults.cut(DIGITS)
    await stack.simulator.until(() => device().available === true && device().subscriptions.size > 0)
    await setEventsUrl(HOOK)
    ana.presence({ online: true })
    expect(await number.next('presence', event => event.online)).toMatchObject({ contact_jid: ana.jid })
  })

  test('it is set to online', async () => {
    await appear('online')
    await isShown(true)
    expect(await notifications()).toBe(0)
  })
})

test('a number that is set to offline stays offline, whatever programs read', async () => {
  await setEventsUrl(HOOK)
  await isShown(true)
  await appear('offline')
  await isShown(false)
  ana.typing(number.jid, 'composing')
  expect(await notifications()).toBe(1)
  stack.simulator.faults.cut(DIGITS)
  await stack.simulator.until(() => device().online && device().available === false)
  expect(await notifications()).toBe(1)
  expect(number.events.filter(event => event.kind === 'typing')).toEqual([])
})
