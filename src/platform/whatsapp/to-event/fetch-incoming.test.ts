import { type BinaryNode, getBinaryNodeChild } from 'baileys'
import { type Agent, MockAgent } from 'undici'
import { expect, test } from 'vitest'
import { systemClock } from '../../../runtime/clock.ts'
import { ExpiringMap } from '../../../runtime/expiring-map.ts'
import type { StoredMessage } from '../received/inbox-item.ts'
import type { SessionContext } from '../session-context.ts'
import { mediaRouteOf } from '../engine/socket-config.ts'
import { fetchIncoming } from './fetch-incoming.ts'

const PHOTO = {
  type: 'image',
  part: { directPath: '/gone', fileLength: 3, mediaKey: Buffer.alloc(32, 1) },
} as const

test('after three failed requests for missing files the files of a sender are not requested again; those of other senders are', async () => {
  const network = new MockAgent()
  network.disableNetConnect()
  network
    .get('https://mmg.whatsapp.net')
    .intercept({ path: () => true })
    .reply(404, '')
    .persist()
  const asked: string[] = []
  const sock = {
    authState: { creds: { me: { id: '9:1@s.whatsapp.net' } } },
    ev: { on: () => {}, off: () => {} },
    sendNode: async (node: BinaryNode) => {
      asked.push(getBinaryNodeChild(node, 'rmr')!.attrs.jid!)
    },
  }
  const context = {
    link: { current: () => ({ sock }) },
    mediaRoute: { ...mediaRouteOf({ kind: 'whatsapp' }, 600), download: network as unknown as Agent },
    mediaHosts: { others: async () => [] },
    clock: systemClock,
    missingFiles: new ExpiringMap(10, { ms: 60_000, clock: systemClock }),
  } as unknown as SessionContext
  const fetchFrom = (remoteJid: string) => {
    const stored = { key: { id: 'A', remoteJid, fromMe: false } } as StoredMessage
    return fetchIncoming(context, stored, PHOTO, new AbortController().signal)
  }
  for (let i = 0; i < 5; i++) expect(await fetchFrom('1@s.whatsapp.net')).toEqual({ status: 'error' })
  expect(asked).toEqual(Array.from({ length: 3 }, () => '1@s.whatsapp.net'))
  await fetchFrom('2@s.whatsapp.net')
  expect(asked.slice(3)).toEqual(['2@s.whatsapp.net'])
})
