import { expect, test } from 'vitest'
import { node } from '../wire/node.ts'
import type { LinkedDevice } from '../world/device.ts'
import type { Network } from '../world/network.ts'
import { Faults } from './fault-plan.ts'
import { acknowledge, createOutbox, push } from './outbox.ts'

const ENC = [node('enc', { type: 'msg' }, Buffer.alloc(1))]
const GROUP = '120363000000000001@g.us'
const [ADA, EVE] = ['15550001111@s.whatsapp.net', '15550002222@s.whatsapp.net']

function deviceWith(...stanzas: ReturnType<typeof node>[]) {
  const journal = { put: () => {}, remove: () => {} }
  const network = { journal, faults: new Faults() } as unknown as Network
  const device = { digits: '999', device: 1, outbox: createOutbox(), online: false } as unknown as LinkedDevice
  for (const stanza of stanzas) push(network, device, stanza)
  const waiting = () => [...device.outbox.entries.values()].map(({ attrs }) => attrs.participant ?? attrs.from)
  return { acknowledge: (answer: ReturnType<typeof node>) => acknowledge(network, device, answer), waiting }
}

test('a receipt for one message of a group leaves another with the same id waiting', () => {
  const message = (participant: string) => node('message', { id: 'X', from: GROUP, participant }, ENC)
  const device = deviceWith(message(ADA), message(EVE))
  device.acknowledge(node('receipt', { id: 'X', to: GROUP, participant: EVE }))
  expect(device.waiting()).toEqual([ADA])
  device.acknowledge(node('ack', { id: 'X', class: 'message', to: GROUP, participant: ADA }))
  expect(device.waiting()).toEqual([])
})

test('a receipt in one chat leaves a message of another chat with the same id waiting', () => {
  const device = deviceWith(node('message', { id: 'X', from: ADA }, ENC), node('message', { id: 'X', from: EVE }, ENC))
  device.acknowledge(node('receipt', { id: 'X', to: EVE }))
  expect(device.waiting()).toEqual([ADA])
})

test('a receipt confirms one stanza: a copy sent again under the same id waits for a separate receipt', () => {
  const message = (t: string) => node('message', { id: 'X', from: ADA, t }, ENC)
  const device = deviceWith(message('1'), message('2'))
  device.acknowledge(node('ack', { id: 'X', class: 'message', to: ADA, error: '500' }))
  expect(device.waiting()).toEqual([ADA])
  device.acknowledge(node('receipt', { id: 'X', to: ADA }))
  expect(device.waiting()).toEqual([])
})
