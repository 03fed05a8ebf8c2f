import { type AddressInfo, createServer } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mediaRouteOf } from '../socket-config.ts'
import { downloadMedia } from './download.ts'

let dialled = 0
const server = createServer(socket => {
  dialled++
  socket.destroy()
})
beforeAll(() => new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve)))
afterAll(() => void server.close())

test.each(['https://127.0.0.1', 'https://localhost', 'https://mmg.whatsapp.net@127.0.0.1', 'http://127.0.0.1'])(
  'a file that its sender says lies at %s is not asked for on the real platform',
  async origin => {
    const url = `${origin}:${(server.address() as AddressInfo).port}/mmg.whatsapp.net`
    const media = { type: 'image', part: { url, fileLength: 3, mediaKey: Buffer.alloc(32, 1) } } as const
    const route = mediaRouteOf({ kind: 'whatsapp' }, 1_000)
    expect(await downloadMedia(media, route, AbortSignal.timeout(1_000))).toEqual({ status: 'error' })
    expect(dialled).toBe(0)
  },
)
