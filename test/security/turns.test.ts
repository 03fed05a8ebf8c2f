import { Agent } from 'node:http'
import { afterAll, describe, expect, it } from 'vitest'
import { ask } from '../harness/client.ts'
import { onAnyStore } from '../harness/gateway.ts'

const AT_ONCE = 100
const NO_LIMITS = {
  messages_per_second: null,
  messages_per_month: null,
  requests_per_second: null,
  account_requests_per_second: null,
  waiting_messages: null,
}
const crowd = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
/** Connections are opened first, so that a later request finds the others in the queue. */
const single = new Agent({ keepAlive: true, maxSockets: 1 })
afterAll(() => [crowd, single].forEach(agent => agent.destroy()))

describe('A hundred simultaneous requests of one account', () => {
  onAnyStore(gateway => {
    /** How many of them were answered when a later request of another account was. */
    async function answeredBefore(
      others: string,
      request: { method: string; path: string; body?: unknown; key: string },
    ) {
      const { method, path, body, key } = request
      let answered = 0
      const statuses: number[] = []
      const all = Array.from({ length: AT_ONCE }, async () => {
        statuses.push((await ask(gateway().url, method, path, { key, agent: crowd, body })).status)
        answered++
      })
      expect((await ask(gateway().url, 'GET', '/v1/webhooks', { key: others, agent: single })).status).toBe(200)
      const before = answered
      await Promise.all(all)
      return { before, statuses }
    }

    it('with expensive responses do not delay other accounts until all are answered', async () => {
      const [greedy, modest] = [await gateway().account({ limits: NO_LIMITS }), await gateway().account()]
      const session = await gateway().session(greedy)
      const sent = await greedy.ask('POST', '/v1/messages', { session_id: session.id, to: '15550001111', text: 'x' })
      await modest.ask('GET', '/v1/me')
      for (const path of [
        `/v1/messages/${sent.json.message_id}`,
        '/v1/deliveries?limit=100',
        '/v1/keys?limit=100',
        '/v1/sessions?limit=100',
        '/v1/webhooks?limit=100',
        '/v1/messages?limit=100',
        '/v1/usage',
      ]) {
        const request = { method: 'GET', path, key: greedy.key }
        await answeredBefore(modest.key, request)
        const { before, statuses } = await answeredBefore(modest.key, request)
        expect(new Set(statuses), path).toEqual(new Set([200]))
        expect(before, path).toBeLessThan(AT_ONCE / 2)
      }
    })

    it('with expensive bodies do not delay other accounts until all are read', async () => {
      const [greedy, modest] = [await gateway().account({ limits: NO_LIMITS }), await gateway().account()]
      const session = await gateway().session(greedy)
      await modest.ask('GET', '/v1/me')
      const body = { session_id: session.id, to: '15550001111', text: 'ж'.repeat(60_000) }
      const request = { method: 'POST', path: '/v1/messages', body, key: greedy.key }
      await answeredBefore(modest.key, request)
      const { before, statuses } = await answeredBefore(modest.key, request)
      expect(new Set(statuses)).toEqual(new Set([202]))
      expect(before).toBeLessThan(AT_ONCE / 2)
    })
  })
})
