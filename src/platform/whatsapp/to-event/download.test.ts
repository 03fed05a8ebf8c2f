import { type AddressInfo, createServer } from 'node:net'
import { Agent, MockAgent } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mediaRouteOf } from '../engine/socket-config.ts'
import { downloadMedia } from './download.ts'
import type { IncomingMedia } from './media-part.ts'

let dialled = 0
const server = createServer(socket => {
  dialled++
  socket.destroy()
})
beforeAll(() => new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve)))
afterAll(() => void server.close())

const imageAt = (part: IncomingMedia['part']): IncomingMedia => ({
  type: 'image',
  part: { fileLength: 3, mediaKey: Buffer.alloc(32, 1), ...part },
})

test.each(['https://127.0.0.1', 'https://localhost', 'https://mmg.whatsapp.net@127.0.0.1', 'http://127.0.0.1'])(
  'a file that its sender says lies at %s is not asked for on the real platform',
  async origin => {
    const url = `${origin}:${(server.address() as AddressInfo).port}/mmg.whatsapp.net`
    const route = mediaRouteOf({ kind: 'whatsapp' }, 1_000)
    expect(await downloadMedia(imageAt({ url }), route, route.host, new AbortController().signal)).toEqual({
      status: 'error',
    })
    expect(dialled).toBe(0)
  },
)

describe('what is asked for on the real platform', () => {
  /** Notes each request instead of making it. */
  async function askedFor(part: IncomingMedia['part'], answer = { status: 400, location: '' }): Promise<string[]> {
    const asked: string[] = []
    const agent = new MockAgent()
    agent.disableNetConnect()
    const dispatcher = new Agent().compose(() => (options, handler) => {
      asked.push(`${String(options.origin)}${options.path}`)
      const origin = String(options.origin)
      const { status, location } = answer
      agent
        .get(origin)
        .intercept({ path: () => true })
        .reply(status, '', { headers: { location } })
      return agent.dispatch(options, handler)
    })
    const route = { ...mediaRouteOf({ kind: 'whatsapp' }, 1_000), download: dispatcher as unknown as Agent }
    expect(await downloadMedia(imageAt(part), route, route.host, new AbortController().signal)).toEqual({
      status: 'error',
    })
    return asked
  }

  test.each([
    'https://mmg.whatsapp.net:22/x',
    'https://g.whatsapp.net/x',
    'https://a.whatsapp.net.example.com/x',
    'https://mmg.whatsapp.net./x',
    'http://mmg.whatsapp.net/x',
    'https://example.com/x',
    'file:///etc/passwd',
    'nonsense',
  ])('no file is fetched if the address is %s', async url => {
    expect(await askedFor({ url })).toEqual([])
    // With a path it is that path, at the host that has everybody's files.
    expect(await askedFor({ url, directPath: '/v/file' })).toEqual(['https://mmg.whatsapp.net/v/file'])
  })

  test.each([
    ['https://mmg.whatsapp.net/x?y=1', 'https://mmg.whatsapp.net/x?y=1'],
    ['https://me:secret@mmg.whatsapp.net/x', 'https://mmg.whatsapp.net/x'],
  ])('only the path of %s is used', async (url, asked) => {
    expect(await askedFor({ url })).toEqual([asked])
  })

  test.each(['//example.com/x', '/\\example.com/x', '/@example.com/x', '/../x'])(
    'the path %s leads to no other host',
    async directPath => {
      for (const asked of await askedFor({ directPath })) expect(new URL(asked).host).toBe('mmg.whatsapp.net')
    },
  )

  test('a redirect is not followed', async () => {
    const asked = await askedFor({ directPath: '/x' }, { status: 302, location: 'https://example.com/' })
    expect(asked).toEqual(['https://mmg.whatsapp.net/x'])
  })
})
