import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { movableClock } from '../../../../test/harness/clocks.ts'
import { until } from '../../../../test/harness/until.ts'
import { Appearance } from './appearance.ts'

const ADA = '15550001111@s.whatsapp.net'

function shown(name: string | undefined) {
  const said: string[] = []
  const creds = { me: name === undefined ? {} : { name } }
  const ev = new EventEmitter()
  const sock = {
    ev,
    authState: { creds },
    sendPresenceUpdate: async (type: string) => void said.push(`${type} as ${creds.me.name}`),
    sendNode: async ({ attrs }: { attrs: { type: string } }) => void said.push(attrs.type),
    presenceSubscribe: async (contact: string) => void said.push(`subscribe ${contact}`),
  }
  const connection = { sock: sock as never }
  const clock = movableClock()
  const wanted = { online: false }
  const appearance = new Appearance({
    clock,
    link: () => ({ current: () => connection }),
    isWanted: () => wanted.online,
    subscriptions: { all: async () => [ADA] },
  })
  return { appearance, connection, clock, wanted, said, creds, ev }
}

test('a number goes offline when its last typing sign is over', async () => {
  const { appearance, connection, clock, said } = shown('Ada')
  await appearance.beginTyping(connection, 'a')
  clock.pass(20_000)
  await appearance.beginTyping(connection, 'b')
  expect(said).toEqual(['available as Ada', `subscribe ${ADA}`])
  clock.pass(20_000)
  expect(appearance.isOnline()).toBe(true)
  clock.pass(20_000)
  await until(() => said.at(-1) === 'unavailable as Ada')
  appearance.end()
})

test('a state is announced once on each connection, and subscriptions are made when the number goes online', async () => {
  const { appearance, connection, wanted, said } = shown('Ada')
  await appearance.announce(connection)
  await appearance.announce(connection)
  wanted.online = true
  appearance.refresh()
  await until(() => said.length === 3)
  expect(said).toEqual(['unavailable as Ada', 'available as Ada', `subscribe ${ADA}`])
})

test('a name that becomes known later is announced with the current state', async () => {
  const { appearance, connection, said, creds, ev } = shown(undefined)
  await appearance.announce(connection)
  creds.me = { name: 'Ada' }
  ev.emit('creds.update', { me: creds.me })
  expect(said).toEqual(['unavailable', 'unavailable as Ada'])
})
