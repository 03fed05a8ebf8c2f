import type { WAMessage } from 'baileys'
import { expect, it } from 'vitest'
import { AwaitedMessages } from './awaited-messages.ts'

const head = (remoteJid: string, remoteJidAlt?: string): WAMessage =>
  ({ key: { id: 'X', remoteJid, ...(remoteJidAlt && { remoteJidAlt }) } }) as WAMessage

it('a message is found by its id, whatever the phone calls who sent it', () => {
  const awaited = new AwaitedMessages()
  awaited.add({ key: 'a', head: head('200@lid') })
  expect(awaited.find({ id: 'X', remoteJid: '15550001111@s.whatsapp.net' })?.key).toBe('a')
  expect(awaited.find({ id: 'Y', remoteJid: '200@lid' })).toBeUndefined()
})

it('of several with the same id it is the one of the same chat', () => {
  const awaited = new AwaitedMessages()
  awaited.add({ key: 'a', head: head('200@lid', '15550001111@s.whatsapp.net') })
  awaited.add({ key: 'b', head: head('15550002222@s.whatsapp.net') })
  awaited.add({ key: 'b', head: head('15550002222@s.whatsapp.net') })
  expect(awaited.find({ id: 'X', remoteJid: '15550001111@s.whatsapp.net' })?.key).toBe('a')
  expect(awaited.find({ id: 'X', remoteJid: '15550002222@s.whatsapp.net' })?.key).toBe('b')
  expect(awaited.find({ id: 'X', remoteJid: '15550003333@s.whatsapp.net' })).toBeUndefined()
})
