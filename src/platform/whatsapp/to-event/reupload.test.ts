import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import { systemClock } from '../../../clock.ts'
import { askForReupload } from './reupload.ts'

it('an answer that names the chat in another way is heard', async () => {
  const ev = new EventEmitter()
  const answer = [{ key: { id: 'A', remoteJid: '200000000000011@lid' } }]
  const sock = {
    ev,
    authState: { creds: { me: { id: '5511900000000:3@s.whatsapp.net' } } },
    sendNode: async () => void ev.emit('messages.media-update', answer),
  }
  const waited: number[] = []
  const context = {
    clock: {
      ...systemClock,
      sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(ms, signal).then(() => void waited.push(ms)),
    },
    mediaRoute: { reuploadMs: 50 },
    link: { current: () => ({ sock, isOpen: () => true }) },
  }
  const key = { id: 'A', remoteJid: '5511950000011@s.whatsapp.net', fromMe: false }
  const { signal } = new AbortController()
  const startedMs = systemClock.monotonicMs()
  await askForReupload(context as never, { key } as never, { part: { mediaKey: Buffer.alloc(32, 1) } } as never, signal)
  expect(systemClock.monotonicMs() - startedMs).toBeLessThan(45)
})
