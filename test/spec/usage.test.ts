import { describe, expect, it } from 'vitest'
import { expectError } from '../harness/client.ts'
import { onEachStore } from '../harness/gateway.ts'

const today = () => new Date().toISOString().slice(0, 10)

describe('Usage', () => {
  onEachStore(gateway => {
    it('usage is counted once per accepted message, never on a replay or a rejection', async () => {
      const account = await gateway().account({ limits: { messages_per_second: 0.001, messages_burst: 5 } })
      const session = await gateway().session(account)
      const body = { session_id: session.id, to: '15550001111', text: 'x' }
      const send = (key: string) => account.ask('POST', '/v1/messages', body, { 'idempotency-key': key })
      const keys = Array.from({ length: 40 }, (_, i) => `key-${i % 8}`)
      const answers = await Promise.all(keys.map(send))
      const accepted = new Set(answers.filter(each => each.status === 202).map(each => each.json.message_id))
      expect(accepted.size).toBe(5)
      await account.ask('POST', '/v1/messages', { ...body, to: 'nobody' })
      const usage = await account.ask('GET', '/v1/usage')
      expect(usage.json).toEqual({
        data: [{ day: today(), accepted: 5, sent: 0, failed: 0, received: 0, deliveries: 0 }],
      })
      expect((await account.ask('GET', '/v1/me')).json.usage.messages).toBe(5)
    })

    it('aggregating in the background changes no figure', async () => {
      const account = await gateway().account()
      const session = await gateway().session(account)
      const body = { session_id: session.id, to: '15550001111', text: 'x' }
      const total = 30
      const folds = Array.from({ length: 10 }, () => gateway().store.usage.foldUsage())
      await Promise.all([...Array.from({ length: total }, () => account.ask('POST', '/v1/messages', body)), ...folds])
      await gateway().store.usage.foldUsage()
      expect((await account.ask('GET', '/v1/usage')).json.data[0].accepted).toBe(total)
    })

    it('GET /v1/usage?from=&to= answers day by day within the range', async () => {
      const account = await gateway().account()
      const session = await gateway().session(account)
      await account.ask('POST', '/v1/messages', { session_id: session.id, to: '15550001111', text: 'x' })
      const ask = (query: string) => account.ask('GET', `/v1/usage?${query}`)
      expect((await ask(`from=${today()}&to=${today()}`)).json.data).toHaveLength(1)
      expect((await ask('from=2020-01-01&to=2020-02-01')).json.data).toEqual([])
      expectError(await ask('from=2026-02-02&to=2026-02-01'), 400, 'from must not be after to')
      expectError(await ask('from=2026-02-30'), 400, 'from must be a day such as 2026-01-31')
      expectError(await ask('to=yesterday'), 400, 'to has the wrong format')
      expectError(await ask('from=2020-01-01&to=2026-01-01'), 400, /not be more than 400 days apart/)
    })

    it('one account never sees another’s usage', async () => {
      const [one, two] = await Promise.all([gateway().account(), gateway().account()])
      const session = await gateway().session(one)
      await one.ask('POST', '/v1/messages', { session_id: session.id, to: '15550001111', text: 'x' })
      expect((await two.ask('GET', '/v1/usage')).json.data).toEqual([])
    })
  })
})
