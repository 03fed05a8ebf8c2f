import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestGateway, type TestAccount, type TestGateway, type TestSession } from '../harness/gateway.ts'
import { needProgram } from '../harness/programs.ts'
import { PosternClient } from '../../sdk/src/client.ts'

let gateway: TestGateway
let account: TestAccount
let session: TestSession
let postern: PosternClient
/** They are never scanned. */
let pairings: string[]

beforeAll(async () => {
  gateway = await startTestGateway('sqlite', { POSTERN_ROLES: 'api' })
  account = await gateway.account()
  session = await gateway.session(account)
  postern = new PosternClient({ baseUrl: gateway.url, apiKey: account.key })
  const begin = () => postern.pairings.create({ method: 'qr', platform: 'sandbox' })
  pairings = (await Promise.all([begin(), begin()])).map(({ id }) => id)
})
afterAll(() => gateway.stop())

describe('The SDK with a gateway', () => {
  test('sends a message once per idempotency key, and finds it again', async () => {
    const message = { session_id: session.id, to: '15550001111', text: '¿Qué tal? 😀' }
    const queued = await postern.send(message, { idempotencyKey: 'sdk-1' })
    expect(queued).toMatchObject({ request_id: 'sdk-1', status: 'queued' })
    expect(await postern.send(message, { idempotencyKey: 'sdk-1' })).toEqual(queued)
    expect(await postern.messages.get(queued.message_id)).toMatchObject({ id: queued.message_id, state: 'queued' })
  })

  test('yields every entry of a list once, page after page', async () => {
    const made: string[] = []
    for (const label of ['a', 'b', 'c']) made.push((await postern.keys.create({ label, scopes: ['read'] })).id)
    const listed: string[] = []
    for await (const { id } of postern.keys.all({ limit: 1 })) listed.push(id)
    expect(new Set(listed).size).toBe(listed.length)
    expect(listed).toEqual(expect.arrayContaining([...made, account.keyId]))
    expect((await postern.keys.list({ limit: 1 })).data).toHaveLength(1)
  })

  test('follows a pairing to its end', async () => {
    const id = pairings[0]!
    const seen: string[] = []
    for await (const { status } of postern.pairings.events(id)) {
      if (seen.length === 0) await postern.pairings.cancel(id)
      seen.push(status)
    }
    expect(seen.at(-1)).toBe('cancelled')
  })

  test('ends a stream with the signal of its reader', async () => {
    const abort = new AbortController()
    const reading = postern.deliveries.events({}, { signal: abort.signal }).next()
    abort.abort(new Error('enough'))
    await expect(reading).rejects.toThrow('enough')
  })

  test('throws an error with the field at fault, the link to its remedy and the request id', async () => {
    const error = await postern.send({ session_id: session.id, to: '', text: 'x' }).catch((refusal: unknown) => refusal)
    expect(error).toMatchObject({
      status: 400,
      param: 'to',
      code: expect.stringMatching(/^[a-z_]+$/),
      docUrl: expect.stringContaining('/docs/errors#'),
      requestId: expect.stringMatching(/./),
    })
  })

  test('has a package for Python that does the same', async () => {
    const python = needProgram('python3', 'python3')
    const tests = spawn(python, ['-W', 'error', '-m', 'unittest', 'discover', '-t', '.', '-s', 'tests'], {
      cwd: resolve(import.meta.dirname, '../../sdk/python'),
      env: {
        PATH: process.env.PATH,
        PYTHONDONTWRITEBYTECODE: '1',
        POSTERN_URL: gateway.url,
        POSTERN_API_KEY: account.key,
        POSTERN_SESSION: session.id,
        POSTERN_PAIRING: pairings[1]!,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const [said, [code]] = await Promise.all([text(tests.stderr), once(tests, 'close')])
    expect({ code, said }).toMatchObject({ code: 0, said: expect.stringMatching(/Ran 2\d tests[^]*\nOK\n$/) })
  })
})
