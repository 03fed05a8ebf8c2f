import { expect, test } from 'vitest'
import { type Answer, ask } from '../harness/client.ts'
import { inSize } from '../harness/matrix.ts'
import { type GatewayProcess, startProcess } from '../harness/process.ts'
import { newPlace } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

const ALL_ROLES = { POSTERN_ROLES: '', POSTERN_OPERATOR_TOKEN: '', POSTERN_LOG_LEVEL: 'error' }
const MESSAGES = 40
const SENDERS = 6
const KILLS = inSize(1, 3)

interface Read {
  cursor: string
  event_id: string
  body: string
}

test('a program that reads a pull endpoint misses no event, and gets none again that it has acknowledged, while the gateway is killed', async () => {
  const place = await newPlace('sqlite')
  let gateway: GatewayProcess = await startProcess(place, ALL_ROLES)
  const session = (await until(() => /^export POSTERN_SESSION=(\S+)/m.exec(gateway.stdout())))[1]!
  const key = /^export POSTERN_API_KEY=(\S+)/m.exec(gateway.stdout())![1]!
  /** Repeats the request until a gateway answers it. */
  const insist = async (method: string, path: string, more: object = {}): Promise<Answer> =>
    await until(async () => {
      const answer = await ask(gateway.url, method, path, { key, ...more }).catch(() => undefined)
      return answer !== undefined && answer.status < 300 ? answer : undefined
    })
  const { id } = (await insist('POST', '/v1/endpoints', { body: { type: 'pull', kinds: ['status'] } })).json

  const accepted = new Set<string>()
  const send = async (first: number): Promise<void> => {
    for (let n = first; n < MESSAGES; n += SENDERS) {
      const headers = { 'idempotency-key': `message-${n}` }
      const body = { session_id: session, to: `1555100${1_000 + n}`, text: 'hello' }
      accepted.add((await insist('POST', '/v1/messages', { headers, body })).json.message_id)
    }
  }

  const read = new Map<number, Read>()
  const again: number[] = []
  let missed = 0
  let isDone = false
  const readAll = async (): Promise<void> => {
    let [handled, acknowledged] = [0, 0]
    while (!isDone) {
      const path = `/v1/endpoints/${id}/events?wait=1${handled === 0 ? '' : `&after=${handled}`}`
      const { json } = await insist('GET', path)
      acknowledged = Math.max(acknowledged, handled)
      missed += json.missed
      const events = json.data as Read[]
      for (const event of events) {
        const cursor = Number(event.cursor)
        if (cursor <= acknowledged) again.push(cursor)
        expect(read.get(cursor) ?? event).toEqual(event)
        read.set(cursor, event)
      }
      // It dies, so to say, with half of each page unhandled.
      handled = Number(events[Math.floor(events.length / 2)]?.cursor ?? handled)
    }
  }

  const reading = readAll()
  const sending = Promise.all(Array.from({ length: SENDERS }, (_, n) => send(n)))
  for (let kill = 1; kill <= KILLS; kill++) {
    await until(() => read.size >= (MESSAGES * kill) / (KILLS + 1))
    gateway.kill('SIGKILL')
    await gateway.exited
    gateway = await startProcess(place, ALL_ROLES)
  }
  await sending
  const sent = () =>
    new Set(
      [...read.values()]
        .map(({ body }) => JSON.parse(body) as { status: string; message_id: string })
        .flatMap(({ status, message_id }) => (status === 'sent' ? [message_id] : [])),
    )
  await until(() => sent().size >= accepted.size)
  isDone = true
  await reading

  expect(accepted.size).toBe(MESSAGES)
  expect([...sent()].sort()).toEqual([...accepted].sort())
  expect([...read.keys()].sort((a, b) => a - b)).toEqual(Array.from({ length: read.size }, (_, n) => n + 1))
  expect(new Set([...read.values()].map(({ event_id }) => event_id)).size).toBe(read.size)
  expect([again, missed]).toEqual([[], 0])
  gateway.kill('SIGTERM')
  await gateway.exited
  place.remove()
}, 300_000)
