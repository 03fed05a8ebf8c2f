import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { GroupHandle } from '@postern/simulator/handles'
import type { Phone } from '@postern/simulator/phone/phone'
import { type BinaryNode, child, children } from '@postern/simulator/wire/node'
import { makeId, makePlatformId } from '../../src/domain/ids.ts'
import { PlatformError } from '../../src/platform/platform.ts'
import { type Hosted, type Rig, startRig, text } from '../harness/whatsapp-rig.ts'

/** Messages to groups with many members: other chats pass them, and an attempt that ends is continued by the next. */

const NUMBER = '999541000001'
/** With their computers so many that their keys take three queries. */
const MEMBERS = 210
let rig: Rig
let number: Hosted
let ana: Phone
let members: Phone[]
let strangers: Phone[]
/** The devices in each query for keys. */
const keyQueries: string[][] = []
let onKeyQuery = (): void => {}

beforeAll(async () => {
  rig = await startRig({ historySync: false })
  rig.simulator.network.onReceived = (_device, stanza) => noteKeyQuery(stanza)
  number = await rig.link(NUMBER)
  ana = rig.simulator.phone('5511963000001')
  await number.send(ana.jid, text('known'))
  members = phones('551196100')
  strangers = phones('551196200')
})
afterAll(() => rig.close())

const phones = (prefix: string): Phone[] =>
  Array.from({ length: MEMBERS }, (_, i) => rig.simulator.phone(`${prefix}${String(i).padStart(4, '0')}`))

function noteKeyQuery(stanza: BinaryNode): void {
  const users = stanza.attrs.xmlns === 'encrypt' ? children(child(stanza, 'key'), 'user') : []
  if (users.length === 0) return
  keyQueries.push(users.map(({ attrs }) => attrs.jid ?? ''))
  onKeyQuery()
}

const groupOf = (people: readonly Phone[]): GroupHandle =>
  rig.simulator.group({ subject: 'Large', owner: NUMBER, members: people.map(({ digits }) => digits) })

/** Resolves when the number reads its sender key of a group for the first time. */
function keyRead(group: GroupHandle): Promise<void> {
  const { storage } = number
  const { readKeys } = storage
  return new Promise(resolve => {
    storage.readKeys = async (category, ids) => {
      if (category === 'sender-key' && ids.some(id => id.startsWith(group.jid))) resolve()
      return await readKeys(category, ids)
    }
  })
}

describe('A group of many members', () => {
  test('does not delay a message in a direct chat that was accepted after the one to the group', async () => {
    await number.send(groupOf(members).jid, text('makes the sessions'))
    const group = groupOf(members)
    const isEncrypting = keyRead(group)
    const acknowledged: string[] = []
    const grouped = number.send(group.jid, text('long')).then(() => acknowledged.push('group'))
    await isEncrypting
    const direct = number.send(ana.jid, text('short')).then(() => acknowledged.push('direct'))
    await Promise.all([grouped, direct])
    expect(acknowledged).toEqual(['direct', 'group'])
  })

  test('gets a message whose first attempt was ended: that attempt sends no more queries, and the next one continues', async () => {
    const group = groupOf(strangers)
    const platformId = makePlatformId()
    const outgoing = { content: text('in two attempts'), quote: null }
    const command = { kind: 'send', messageId: makeId('msg'), platformId, to: group.jid, outgoing } as const
    const ending = new AbortController()
    keyQueries.length = 0
    onKeyQuery = () => {
      if (keyQueries.length === 2) ending.abort()
    }
    await expect(number.session.execute(command, ending.signal)).rejects.toMatchObject({
      failure: { kind: 'link_down' },
    })
    // These would leave an attempt that runs on the time for its next query.
    for (let i = 0; i < 30; i++) await number.send(ana.jid, text('between'))
    expect(keyQueries).toHaveLength(2)
    const [first = []] = keyQueries.splice(0)
    // On a slow machine the link may be lost meanwhile; a worker then tries again, too.
    await number.until(() =>
      number.run(command).catch((error: unknown) => {
        if (!(error instanceof PlatformError && error.failure.kind === 'link_down')) throw error
      }),
    )
    expect(keyQueries.flat().filter(device => first.includes(device))).toEqual([])
    await number.until(() => strangers.every(phone => phone.hasRead(platformId)))
  })
})

describe('Preparing a message', () => {
  test('has a time of its own: an attempt whose queries are not answered does not say that the ack is missing', async () => {
    const impatient = await startRig({ historySync: false, platform: { prepareTimeoutMs: 500 } })
    try {
      const sender = await impatient.link('999541000002')
      const ben = impatient.simulator.phone('5511963000003')
      impatient.simulator.faults.silenceKeys('999541000002')
      await expect(sender.send(ben.jid, text('x'))).rejects.toMatchObject({
        failure: { kind: 'transient', detail: 'the message could not be prepared in time' },
      })
      impatient.simulator.faults.silenceKeys('999541000002', false)
      await sender.until(() =>
        sender.send(ben.jid, text('x')).then(
          () => true,
          () => false,
        ),
      )
    } finally {
      await impatient.close()
    }
  })
})
