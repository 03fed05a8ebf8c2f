import type { BinaryNode } from 'baileys'
import { expect, it } from 'vitest'
import { listedIn, nameOfDevice } from './device-lists.ts'

const LID = '200000000000011@lid'
const user = (...devices: Array<Record<string, string>>): BinaryNode => {
  const list = { tag: 'device-list', attrs: {}, content: devices.map(attrs => ({ tag: 'device', attrs })) }
  return { tag: 'user', attrs: { jid: LID }, content: [{ tag: 'devices', attrs: {}, content: [list] }] }
}
const phone = { id: '0' }
const computer = { id: '12', 'key-index': '2' }
const hosted = { id: '99', 'key-index': '1', is_hosted: 'true' }

it.each([
  ['the phone and a computer', [phone, computer], ['200000000000011@lid', '200000000000011:12@lid']],
  [
    'one that is hosted does not make those behind it so',
    [phone, hosted, computer],
    ['200000000000011@lid', '200000000000011:99@hosted.lid', '200000000000011:12@lid'],
  ],
  ['one without a key index is none', [phone, { id: '7' }], ['200000000000011@lid']],
  ['nothing', [], []],
])('%s', (_what, devices, names) => {
  expect(listedIn(user(...devices), LID).map(nameOfDevice)).toEqual(names)
})

it('the same by number', () => {
  const names = listedIn(user(phone, hosted), '5511950000011@s.whatsapp.net').map(nameOfDevice)
  expect(names).toEqual(['5511950000011@s.whatsapp.net', '5511950000011:99@hosted'])
})
