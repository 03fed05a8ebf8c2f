import type { BinaryNode } from 'baileys'
import { expect, it } from 'vitest'
import { deviceChangeIn } from './recipients.ts'

const ANA = '5511950000011@s.whatsapp.net'
const LID = '200000000000011@lid'
const OWN = ['999500000001@s.whatsapp.net', '200000000000001@lid']
const notification = (attrs: Record<string, string>, child?: string): BinaryNode => ({
  tag: 'notification',
  attrs,
  content: child === undefined ? [] : [{ tag: child, attrs: {} }],
})

it.each([
  ['a new phone', { type: 'encrypt', from: ANA }, 'identity', { people: [ANA], isNewPhone: true }],
  [
    'a new phone by both names',
    { type: 'encrypt', from: ANA, lid: LID },
    'identity',
    { people: [ANA, LID], isNewPhone: true },
  ],
  ['a low stock of our own keys', { type: 'encrypt', from: '@s.whatsapp.net' }, 'count', undefined],
  ['another word about keys', { type: 'encrypt', from: ANA }, 'digest', undefined],
  [
    'a device that was linked',
    { type: 'devices', from: ANA, lid: LID },
    'add',
    { people: [ANA, LID], isNewPhone: false },
  ],
  ['a device of ours', { type: 'account_sync', from: OWN[0]! }, 'devices', { people: OWN, isNewPhone: false }],
  ['another setting of ours', { type: 'account_sync', from: OWN[0]! }, 'blocklist', undefined],
  ['a group', { type: 'w:gp2', from: '120363000000000001@g.us' }, 'add', undefined],
] as const)('%s', (_what, attrs, child, expected) => {
  expect(deviceChangeIn(notification(attrs, child), OWN)).toEqual(expected)
})
