import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import { systemClock } from '../../../runtime/clock.ts'
import { reupload } from './reupload.ts'

it('an answer that uses another name of the chat is accepted', async () => {
  const ev = new EventEmitter()
  const answer = [{ key: { id: 'A', remoteJid: '200000000000011@lid' } }]
  const sock = {
    ev,
    authState: { creds: { me: { id: '5511900000000:3@s.whatsapp.net' } } },
    sendNode: async () => void ev.emit('messages.media-update', answer),
  }
  // If the answer were ignored, the wait would exceed the timeout of the test.
  const context = {
    clock: systemClock,
    mediaRoute: { reuploadMs: 60_000 },
    link: { current: () => ({ sock, isOpen: () => true }) },
  }
  const key = { id: 'A', remoteJid: '5511950000011@s.whatsapp.net', fromMe: false }
  const { signal } = new AbortController()
  const media = { part: { mediaKey: Buffer.alloc(32, 1) } }
  expect(await reupload(context as never, { key } as never, media as never, signal)).toBeUndefined()
})
