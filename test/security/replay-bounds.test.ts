import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeEvent } from '../../src/actions/make-event.ts'
import { makeId } from '../../src/domain/ids.ts'
import { expectError } from '../harness/client.ts'
import { textMessage } from '../harness/delivery.ts'
import { onAnyStore, startTestGateway, type TestAccount, type TestGateway } from '../harness/gateway.ts'
import { startReceiver } from '../harness/receiver.ts'
import { newPlace, type Place, queryPlace, ONE_STORE } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

const dead = { POSTERN_ROLES: 'api,dispatcher', POSTERN_RETRY_DELAYS: '20ms,20ms,20ms' }

/** A number with a webhook, created through the API; only messages of contacts are written directly. */
async function subscribed(gateway: TestGateway, account: TestAccount, url: string) {
  const session = await gateway.session(account)
  const created = await account.ask('POST', '/v1/webhooks', { session_id: session.id, messages_url: url })
  const id = created.json.id as string
  const ofThis = async (status: string, limit = 100) => {
    const { json } = await account.ask('GET', `/v1/deliveries?status=${status}&webhook_id=${id}&limit=${limit}`)
    return json.data as Array<{ id: string; event_id: string; origin: string }>
  }
  return {
    id,
    publish: (count: number) =>
      Promise.all(
        Array.from({ length: count }, () =>
          gateway.store.events.publishEvent(makeEvent(gateway.context, account.id, textMessage(session.jid))),
        ),
      ),
    replay: (body: unknown = {}) => account.ask('POST', `/v1/webhooks/${id}/replay`, body),
    job: async (jobId: string) => (await account.ask('GET', `/v1/webhooks/${id}/replay/${jobId}`)).json,
    resend: (deliveryId: string) => account.ask('POST', `/v1/deliveries/${deliveryId}/resend`),
    ofThis,
    has: (status: string, count: number) => until(async () => (await ofThis(status)).length === count),
  }
}

const attemptsPerEvent = (ledger: Array<{ id: string }>): number[] => {
  const counts = new Map<string, number>()
  for (const { id } of ledger) counts.set(id, (counts.get(id) ?? 0) + 1)
  return [...counts.values()]
}

describe('A delivery that waits for its next attempt', () => {
  onAnyStore(
    gateway => {
      it('is brought forward by a replay of failed deliveries, and never multiplied by any number of them', async () => {
        const receiver = await startReceiver(() => 500)
        const account = await gateway().account()
        const hook = await subscribed(gateway(), account, receiver.url())
        await hook.publish(50)
        await hook.has('failed', 50)
        const again = async () => {
          const { json } = await hook.replay({ status: 'failed' })
          if (json.id !== undefined) await until(async () => (await hook.job(json.id)).state !== 'running')
        }
        for (let round = 0; round < 20; round++) await again()
        await until(async () => {
          await again()
          return (await hook.ofThis('dead')).length === 50
        })
        const [depth] = await queryPlace(gateway().place, 'select count(*) as n from deliveries')
        expect(Number(depth!.n)).toBe(0)
        expect(attemptsPerEvent(receiver.ledger)).toEqual(Array.from({ length: 50 }, () => 4))
        await receiver.close()
      })

      it('can be resent once in addition to the due attempt, and not again while that is in progress', async () => {
        const receiver = await startReceiver(() => 500)
        const account = await gateway().account()
        const hook = await subscribed(gateway(), account, receiver.url())
        await hook.publish(1)
        await hook.has('failed', 1)
        const [entry] = await hook.ofThis('failed')
        const answers = await Promise.all(Array.from({ length: 100 }, () => hook.resend(entry!.id)))
        const accepted = answers.filter(answer => answer.status === 202)
        expect(accepted).toHaveLength(1)
        for (const answer of answers.filter(each => each.status !== 202)) {
          expectError(answer, 400, /another delivery of this event is on its way/)
        }
        expectError(await hook.resend(accepted[0]!.json.id), 400, /is on its way/)
        await receiver.close()
      })
    },
    { POSTERN_ROLES: 'api,dispatcher', POSTERN_RETRY_DELAYS: '10m,10m,10m' },
  )
})

describe('Dead letters', () => {
  onAnyStore(gateway => {
    it('that are resent a hundred times at once are one delivery, and one more after that has died', async () => {
      const receiver = await startReceiver(() => 500)
      const account = await gateway().account()
      const hook = await subscribed(gateway(), account, receiver.url())
      await hook.publish(1)
      await hook.has('dead', 1)
      receiver.reply = () => 'hang'
      const [letter] = await hook.ofThis('dead')
      const answers = await Promise.all(Array.from({ length: 100 }, () => hook.resend(letter!.id)))
      expect(answers.filter(answer => answer.status === 202)).toHaveLength(1)
      // A replay finds the event in progress, too.
      expect((await hook.replay()).json).toMatchObject({ total: 0, state: 'done' })
      receiver.reply = () => 500
      receiver.letGo()
      await until(async () => (await hook.ofThis('dead')).some(({ id }) => id !== letter!.id))
      const [next] = await hook.ofThis('dead')
      expect((await hook.resend(next!.id)).status).toBe(202)
      expect((await hook.resend(letter!.id)).status).toBe(404)
      await receiver.close()
    })

    it('of an event are one, however often a resend fails: the last replaces the one before', async () => {
      const receiver = await startReceiver(() => 500)
      const account = await gateway().account()
      const hook = await subscribed(gateway(), account, receiver.url())
      await hook.publish(1)
      for (let round = 1; round <= 5; round++) {
        await hook.has('dead', 1)
        const last = (await hook.ofThis('dead'))[0]!
        expect((await hook.resend(last.id)).status).toBe(202)
        await until(async () => (await hook.ofThis('dead')).some(({ id }) => id !== last.id))
        expect(await hook.ofThis('dead')).toHaveLength(1)
      }
      receiver.reply = () => 200
      expect((await hook.replay()).json).toMatchObject({ total: 1 })
      await hook.has('delivered', 1)
      await receiver.close()
    })

    it('leave the records of the latest hundred finished replays of an account, whatever was requested', async () => {
      const receiver = await startReceiver()
      const account = await gateway().account()
      const hook = await subscribed(gateway(), account, receiver.url())
      // Jobs without matches finish immediately; created directly in the store, because the API has a limit.
      const ask = { accountId: account.id, webhookId: hook.id, filter: 'dead', sinceMs: 0, untilMs: 0 } as const
      const ids = Array.from({ length: 130 }, (_, i) => makeId('rpl', Date.now() + i))
      for (const id of ids) await gateway().store.replays.createReplay({ ...ask, id })
      const kept = await queryPlace(gateway().place, `select id from replays where account_id = '${account.id}'`)
      expect(kept).toHaveLength(100)
      expect((await hook.job(ids.at(-1)!)).state).toBe('done')
      await receiver.close()
    })
  }, dead)
})

describe('The test tool', () => {
  onAnyStore(gateway => {
    it('cannot flood a target: an account uses it thirty times at once, and then once a second, together with starts of replays', async () => {
      const receiver = await startReceiver()
      const account = await gateway().account()
      const hook = await subscribed(gateway(), account, receiver.url())
      const tests = await Promise.all(
        Array.from({ length: 60 }, () => account.ask('POST', `/v1/webhooks/${hook.id}/test`, {})),
      )
      const refused = tests.filter(answer => answer.status === 429)
      // A token or two are refilled while they run.
      expect(receiver.ledger.length).toBeGreaterThanOrEqual(30)
      expect(receiver.ledger.length).toBeLessThan(45)
      expect(refused).toHaveLength(60 - receiver.ledger.length)
      for (const answer of refused) {
        expectError(answer, 429, 'rate limit exceeded')
        expect(answer.headers['x-error-code']).toBe('rate_limited')
        expect(answer.headers['retry-after']).toBe('1')
      }
      const replays = await Promise.all(Array.from({ length: 30 }, () => hook.replay()))
      expect(replays.filter(answer => answer.status === 429).length).toBeGreaterThan(20)
      const other = await gateway().account()
      const hookOfOther = await subscribed(gateway(), other, receiver.url())
      expect((await other.ask('POST', `/v1/webhooks/${hookOfOther.id}/test`, {})).status).toBe(200)
      await receiver.close()
    })
  })
})

describe.each(ONE_STORE)('Replay jobs on %s', kind => {
  let place: Place
  beforeEach(async () => {
    place = await newPlace(kind)
  })
  afterEach(() => place.remove())

  /**
   * An account whose webhooks have a dead letter each, at a gateway without a dispatcher, so that jobs stay in
   * progress.
   */
  async function buried(count: number, url: string) {
    const first = await startTestGateway(place, dead)
    const account = await first.account()
    const hooks = []
    for (let i = 0; i < count; i++) hooks.push(await subscribed(first, account, url))
    for (const hook of hooks) await hook.publish(1)
    for (const hook of hooks) await hook.has('dead', 1)
    await first.stop()
    const gateway = await startTestGateway(place)
    const again = gateway.as(account, account.key)
    const replay = (id: string, body: unknown = {}) => again.ask('POST', `/v1/webhooks/${id}/replay`, body)
    return { gateway, account: again, ids: hooks.map(hook => hook.id), replay }
  }

  it('run one at a time for each webhook: a second one is rejected with the id of the running one', async () => {
    const receiver = await startReceiver(() => 500)
    const { gateway, account, ids, replay } = await buried(1, receiver.url())
    const id = ids[0]!
    const answers = await Promise.all(Array.from({ length: 20 }, () => replay(id)))
    const accepted = answers.filter(answer => answer.status === 202)
    expect(accepted).toHaveLength(1)
    const running = accepted[0]!.json.id
    for (const answer of answers.filter(each => each.status !== 202)) {
      expectError(answer, 400, new RegExp(`replay ${running} of this webhook is still running`))
    }
    expectError(await replay(id, { status: 'failed' }), 400, /still running/)
    expect((await account.ask('DELETE', `/v1/webhooks/${id}/replay/${running}`)).json.state).toBe('cancelled')
    expect((await replay(id)).status).toBe(202)
    await gateway.stop()
    await receiver.close()
  })

  it('run at most five at a time for each account', async () => {
    const receiver = await startReceiver(() => 500)
    const { gateway, ids, replay } = await buried(8, receiver.url())
    const answers = await Promise.all(ids.map(id => replay(id)))
    expect(answers.filter(answer => answer.status === 202)).toHaveLength(5)
    for (const answer of answers.filter(each => each.status !== 202)) {
      expectError(answer, 429, 'rate limit exceeded')
      expect(answer.headers['x-error-code']).toBe('too_many_open')
      expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    }
    await gateway.stop()
    await receiver.close()
  })
})
