import { afterAll, beforeAll, expect, test } from 'vitest'
import { normalizeMessageContent } from 'baileys'
import { oldContact } from '@postern/simulator/phone/history'
import type { Phone } from '@postern/simulator/phone/phone'
import { makePlatformId } from '../../src/domain/ids.ts'
import { type Hosted, type Rig, startRig, text } from '../harness/whatsapp-rig.ts'

/** The history that the phone of a number sends to a new device: names, tokens and settings are learned from it. */

let rig: Rig
const DAY = 86_400

/** The paths of the files that phones have uploaded. */
const files: string[] = []

beforeAll(async () => {
  rig = await startRig()
  const { media } = rig.simulator.network
  const put = media.put.bind(media)
  media.put = (...args) => {
    files.push(put(...args))
    return files.at(-1)!
  }
})
afterAll(() => rig.close())

const lidOf = async ({ storage }: Hosted, digits: string): Promise<boolean> =>
  (await storage.readKeys('lid-mapping', [digits])).has(digits)
const countOf = ({ reasons }: Hosted, reason: string): number => reasons.get(reason) ?? 0

test('the names of people are learned from all parts of a history, and the messages in it are no events', async () => {
  const number = await rig.link('999542000001')
  const parts = 4
  const chats = 60
  const own = rig.simulator.phone('999542000001')
  for (let part = 0; part < parts; part++) own.sendOldChats({ first: part * chats, chats, messages: 40 })
  await number.until(() => lidOf(number, oldContact(parts * chats - 1)))
  const people = Array.from({ length: parts * chats }, (_, i) => oldContact(i))
  const known = await number.storage.readKeys('lid-mapping', people)
  expect(known.size).toBe(people.length)
  expect(number.events).toEqual([])
  expect(countOf(number, 'history_sync_failed')).toBe(0)
})

test('a chat in which messages disappeared before the number was linked makes ours disappear too', async () => {
  const ana: Phone = rig.simulator.phone('5511964000001')
  await ana.sendTo('999542000002', { type: 'text', text: 'soon gone' }, { ephemeralSeconds: DAY })
  const number = await rig.link('999542000002')
  await number.until(() => countOf(number, 'history_sync') >= 2)
  const platformId = makePlatformId()
  await number.send(ana.jid, text('ours'), { platformId })
  const { message } = await rig.simulator.until(() => ana.message(platformId))
  expect(normalizeMessageContent(message)?.extendedTextMessage?.contextInfo?.expiration).toBe(DAY)
})

test.each([
  ['is damaged', 'corrupt'],
  ['no longer exists', 404],
] as const)('a part of a history that %s is counted, and the others are learned', async (_what, status) => {
  const digits = status === 404 ? '999542000003' : '999542000004'
  const number = await rig.link(digits)
  await number.until(() => countOf(number, 'history_sync') === 2)
  number.paused = true
  const before = number.storage.inbox.size
  for (const first of [0, 5]) rig.simulator.phone(digits).sendOldChats({ first, chats: 5, messages: 1 })
  await number.until(() => number.storage.inbox.size === before + 2)
  rig.simulator.faults.withdrawMedia(files.at(-1)!, status, true)
  number.paused = false
  number.storage.onInbox()
  await number.until(() => countOf(number, 'history_sync_failed') === 1)
  expect(await lidOf(number, oldContact(0))).toBe(true)
  expect(await lidOf(number, oldContact(5))).toBe(false)
})

test('a part of a history whose download is cut is fetched again', async () => {
  const digits = '999542000005'
  const number = await rig.link(digits)
  await number.until(() => countOf(number, 'history_sync') === 2)
  rig.simulator.faults.media({ kind: 'cut', afterBytes: 100 }, rig.simulator.faults.mediaHosts().length)
  rig.simulator.phone(digits).sendOldChats({ chats: 20, messages: 20 })
  await number.until(() => lidOf(number, oldContact(19)))
  expect(countOf(number, 'history_sync_failed')).toBe(0)
})
