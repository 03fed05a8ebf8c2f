import type { WAMessage } from 'baileys'
import { expect, it } from 'vitest'
import { AwaitedMessages, keepResent } from './awaited-messages.ts'
import { ExpiringMap } from '../../../runtime/expiring-map.ts'
import type { InboxItem } from '../../platform.ts'
import { readMessage } from './inbox-item.ts'

const head = (remoteJid: string, remoteJidAlt?: string): WAMessage =>
  ({ key: { id: 'X', remoteJid, ...(remoteJidAlt && { remoteJidAlt }) } }) as WAMessage

it('an awaited message is found by its id under any name of its sender', () => {
  const awaited = new AwaitedMessages()
  awaited.add({ key: 'a', head: head('200@lid') })
  expect(awaited.find({ id: 'X', remoteJid: '15550001111@s.whatsapp.net' })?.key).toBe('a')
  expect(awaited.find({ id: 'Y', remoteJid: '200@lid' })).toBeUndefined()
})

it('of several awaited messages with the same id the one in the same chat is found', () => {
  const awaited = new AwaitedMessages()
  awaited.add({ key: 'a', head: head('200@lid', '15550001111@s.whatsapp.net') })
  awaited.add({ key: 'b', head: head('15550002222@s.whatsapp.net') })
  awaited.add({ key: 'b', head: head('15550002222@s.whatsapp.net') })
  expect(awaited.find({ id: 'X', remoteJid: '15550001111@s.whatsapp.net' })?.key).toBe('a')
  expect(awaited.find({ id: 'X', remoteJid: '15550002222@s.whatsapp.net' })?.key).toBe('b')
  expect(awaited.find({ id: 'X', remoteJid: '15550003333@s.whatsapp.net' })).toBeUndefined()
})

function phone() {
  const items: InboxItem[] = []
  const dropped: string[] = []
  const awaited = new AwaitedMessages()
  const changes = { add: ({ inbox = [] }: { inbox?: InboxItem[] }) => void items.push(...inbox) }
  const state = { changes, recent: new ExpiringMap<true>(10), awaited } as unknown as Parameters<typeof keepResent>[0]
  const answer = (key: WAMessage['key'], message?: WAMessage['message']) =>
    keepResent(
      state,
      { key, ...(message && { message }), messageTimestamp: 7 } as WAMessage,
      0,
      reason => void dropped.push(reason),
    )
  return { items, dropped, awaited, answer }
}

const BY_NUMBER = { id: 'X', remoteJid: '15550001111@s.whatsapp.net' }

it('a resent message is stored once, under the key of the original', () => {
  const { items, awaited, answer } = phone()
  awaited.add({ key: 'm/200@lid//X', head: { key: { id: 'X', remoteJid: '200@lid' } } as WAMessage })
  answer(BY_NUMBER, { conversation: 'words' })
  answer(BY_NUMBER, { conversation: 'words' })
  expect(items.map(({ key, chat }) => ({ key, chat }))).toEqual([{ key: 'm/200@lid//X', chat: '200@lid' }])
  const stored = readMessage(items[0]!.body)
  expect(stored).toMatchObject({ key: { remoteJid: '200@lid' }, timestamp: 7, message: { conversation: 'words' } })
})

it('a resent message that is no longer awaited, such as after a restart, is stored under the name that the phone gives', () => {
  const { items, answer } = phone()
  answer(BY_NUMBER, { conversation: 'words' })
  expect(items.map(({ key }) => key)).toEqual(['m/15550001111@s.whatsapp.net//X'])
})

it('a resent message without content is counted and does not block a later one', () => {
  const { items, dropped, answer } = phone()
  answer(BY_NUMBER)
  expect([items, dropped]).toEqual([[], ['resent_empty']])
  answer(BY_NUMBER, { conversation: 'words' })
  expect(items).toHaveLength(1)
})
