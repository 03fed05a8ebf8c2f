import { expect, it } from 'vitest'
import { systemClock } from '../../../runtime/clock.ts'
import { MediaHosts } from './media-hosts.ts'

const HOSTS = {
  tag: 'iq',
  attrs: {},
  content: [{ tag: 'media_conn', attrs: {}, content: [{ tag: 'host', attrs: { hostname: 'other.example' } }] }],
}

it.each([
  ['no link', undefined],
  ['silence', { sock: { query: async () => undefined } }],
])('%s is no answer: the servers are queried again', async (_what, first) => {
  const links = [first, { sock: { query: async () => HOSTS } }]
  const hosts = new MediaHosts({
    clock: systemClock,
    route: { host: 'one.example', isOurs: () => true },
    connection: () => links.shift() as never,
  })
  const { signal } = new AbortController()
  expect(await hosts.others(signal)).toEqual([])
  expect(await hosts.others(signal)).toEqual(['other.example'])
})
