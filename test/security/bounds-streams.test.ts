import { describe, expect, it } from 'vitest'
import { BOUNDS } from '../../src/domain/bounds.ts'
import { expectError } from '../harness/client.ts'
import { type Listening, listenTo } from '../harness/event-stream.ts'
import { onEachStore } from '../harness/gateway.ts'
import { until } from '../harness/until.ts'

describe('Event streams', () => {
  onEachStore(gateway => {
    it('of an account are limited: closing one makes room, and another account has its own limit', async () => {
      const account = await gateway().account()
      const open = (key: string) => listenTo(gateway().url, '/v1/deliveries/events', { authorization: `Bearer ${key}` })
      const streams: Listening[] = []
      for (let n = 0; n < BOUNDS.openStreams; n++) streams.push(await open(account.key))
      expect(streams.every(({ status }) => status === 200)).toBe(true)
      const refused = await account.ask('GET', '/v1/deliveries/events')
      expectError(refused, 429, `at most ${BOUNDS.openStreams} event streams of an account may be open; close one`)
      expect(refused.headers['retry-after']).toBe('5')
      const other = await open((await gateway().account()).key)
      expect(other.status).toBe(200)
      streams.shift()!.close()
      await until(async () => {
        const again = await open(account.key)
        again.close()
        return again.status === 200
      })
      for (const stream of [...streams, other]) stream.close()
    })
  })
})
