import type { Phone } from '@postern/simulator/phone/phone'
import type { proto } from 'baileys'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Content } from '../../src/domain/message.ts'
import { makePlatformId } from '../../src/domain/ids.ts'
import { interactiveMessage } from '../../src/platform/whatsapp/to-message/interactive.ts'
import { openBareSocket } from '../harness/bare-socket.ts'
import { type Hosted, type Rig, startRig } from '../harness/whatsapp-rig.ts'

/** Buttons and lists, which must be announced to the server outside the encrypted message. */

let rig: Rig
let number: Hosted
let ana: Phone
const DIGITS = '999560000001'

beforeAll(async () => {
  rig = await startRig({ historySync: false })
  number = await rig.link(DIGITS)
  ana = rig.simulator.phone('5511946000001')
})
afterAll(() => rig.close())

const flowOf = (message: proto.IMessage | undefined) =>
  message?.viewOnceMessage?.message?.interactiveMessage?.nativeFlowMessage?.buttons

const buttons: Extract<Content, { type: 'buttons' }> = {
  type: 'buttons',
  text: 'Well?',
  footer: '',
  buttons: [{ id: 'y', text: 'Yes' }],
}
const list: Content = {
  type: 'list',
  text: 'Choose',
  footer: '',
  title: '',
  buttonText: 'Open',
  sections: [{ title: 'S', rows: [{ id: 'r', title: 'Row', description: '' }] }],
}

test.each([
  ['a set of buttons', buttons, 'quick_reply'],
  ['a list', list, 'single_select'],
] as const)('%s is announced with the attributes that the platform accepts, and shown', async (_, content, name) => {
  const group = rig.simulator.group({ subject: 'G', owner: ana.digits, members: [DIGITS] })
  for (const to of [ana.jid, group.jid]) {
    const platformId = makePlatformId()
    expect(await number.send(to, content, { platformId })).toMatchObject({ kind: 'sent' })
    await rig.simulator.until(() => flowOf(ana.message(platformId)?.message)?.[0]?.name === name)
  }
})

test('the sandbox’s phones show no buttons that were not announced, and the sender is not notified', async () => {
  const bare = await openBareSocket(rig.simulator, await rig.pair('999560000002'))
  const buttonsId = makePlatformId()
  const textId = makePlatformId()
  await bare.sock.relayMessage(ana.lid, interactiveMessage(buttons), { messageId: buttonsId })
  await bare.sock.relayMessage(ana.lid, { conversation: 'seen?' }, { messageId: textId })
  await rig.simulator.until(() => ana.message(textId))
  const ack = await number.until(() => bare.stanzas.find(({ tag, attrs }) => tag === 'ack' && attrs.id === buttonsId))
  expect(ack.attrs.error).toBeUndefined()
  expect(ana.message(buttonsId)).toBeUndefined()
  await bare.end()
})
