import { describe, expect, it } from 'vitest'
import { mintKey } from '../../src/domain/api-key.ts'
import { BOUNDS } from '../../src/domain/bounds.ts'
import { makeId } from '../../src/domain/ids.ts'
import { ask, expectError } from '../harness/client.ts'
import { type Listening, listenTo } from '../harness/event-stream.ts'
import { onTwoNodes } from '../harness/gateway.ts'
import { addUser, openBrowser } from '../harness/portal.ts'
import { queryPlace } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

describe('Limits over two processes', () => {
  const nodes = onTwoNodes()
  const bothKnown = () => until(async () => (await nodes()[0]!.store.limits.countApiNodes()) === 2)

  /**
   * Repeats a request until it is rejected, and returns how often it was not; stops at the limit of a single process.
   */
  async function passed(once: () => Promise<number>, atMost: number): Promise<number> {
    for (let n = 0; n < atMost; n++) if ((await once()) === 429) return n
    return atMost
  }

  /** The rest of the shared allowance for wrong passwords of one account. */
  async function sharedLeft(): Promise<number> {
    const [row] = await queryPlace<{ left: number | null }>(
      nodes()[0]!.place,
      `select min(tokens) as left from request_meters where id like 'accounts:%'`,
    )
    return row!.left ?? Number.POSITIVE_INFINITY
  }

  it('wrong passwords at one process leave fewer attempts at the other', async () => {
    await bothKnown()
    const { email } = await addUser(nodes()[0]!)
    const guess = (i: number) => async () =>
      (await openBrowser(nodes()[i]!).ask('POST', '/sign-in', { email, password: 'not this one' })).status
    expect(await passed(guess(0), 11)).toBe(10)
    await until(async () => (await sharedLeft()) < 1)
    expect(await guess(1)()).toBe(401)
    await until(async () => (await sharedLeft()) < 0)
    expect(await passed(guess(1), 9)).toBeLessThan(9)
  })

  it('event streams of an account are counted together, without those of a process that has died', async () => {
    const account = await nodes()[0]!.account()
    const lost = { accountId: account.id, nodeId: makeId('node'), max: BOUNDS.openStreams }
    for (let n = 0; n < BOUNDS.openStreams; n++)
      expect(await nodes()[0]!.store.limits.openAccountStream({ ...lost, id: makeId('strm') })).toBe(true)
    const open = (i: number) =>
      listenTo(nodes()[i]!.url, '/v1/deliveries/events', { authorization: `Bearer ${account.key}` })
    const streams: Listening[] = []
    for (let n = 0; n < BOUNDS.openStreams; n++) streams.push(await open(n % 2))
    expect(streams.every(({ status }) => status === 200)).toBe(true)
    for (const node of nodes()) {
      const refused = await ask(node.url, 'GET', '/v1/deliveries/events', { key: account.key })
      expectError(refused, 429, `at most ${BOUNDS.openStreams} event streams of an account may be open; close one`)
    }
    streams.shift()!.close()
    await until(async () => {
      const again = await open(1)
      again.close()
      return again.status === 200
    })
    for (const stream of streams) stream.close()
  })

  it('wrong keys at one process leave fewer attempts at the other', async () => {
    await bothKnown()
    const wrongKey = () => mintKey({ label: '', scopes: [], sessionIds: null }).key
    const guess = (i: number) => async () => (await ask(nodes()[i]!.url, 'GET', '/v1/me', { key: wrongKey() })).status
    const first = await passed(guess(0), 500)
    expect(first).toBeGreaterThanOrEqual(100)
    expect(await passed(guess(1), 100)).toBeLessThan(100)
  })
})
