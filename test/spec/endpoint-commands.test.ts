import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PosternClient } from '../../sdk/src/client.ts'
import { makeEvent } from '../../src/actions/make-event.ts'
import { textMessage } from '../harness/delivery.ts'
import { startTestGateway, type TestAccount, type TestGateway } from '../harness/gateway.ts'
import { runCommand } from '../harness/command.ts'
import { needProgram } from '../harness/programs.ts'
import { runPostern } from '../harness/process.ts'
import { startReceiver } from '../harness/receiver.ts'
import { until } from '../harness/until.ts'

describe('Endpoints by the command line and the client', () => {
  let gateway: TestGateway
  let account: TestAccount

  beforeAll(async () => {
    gateway = await startTestGateway('sqlite')
    account = await gateway.account()
  })
  afterAll(() => gateway.stop())

  const run = (...args: string[]) =>
    runCommand(['endpoints', ...args, '--url', gateway.url], { POSTERN_API_KEY: account.key })

  it('are created, listed, shown, changed, rotated, tested and deleted by commands', async () => {
    const receiver = await startReceiver(({ path }) => (path === '/good' ? 200 : 500))
    const created = await run(
      'create',
      receiver.url('/bad'),
      '--kinds',
      'message,status',
      '--signature',
      'standard',
      '--json',
    )
    expect(created.stderr).toBe('')
    const { id, secret } = JSON.parse(created.stdout) as { id: string; secret: string }
    expect(secret).toMatch(/^whsec_/)
    expect((await run('list')).stdout).toContain(id)
    const shown = (await run('show', id)).stdout
    expect(shown).toContain('message, status')
    expect(shown).not.toContain(secret)
    expect(await run('test', id)).toMatchObject({ code: 1, stdout: expect.stringContaining('500') })
    const updated = await run('update', id, '--new-url', receiver.url('/good'), '--retries', 'ladder')
    expect(updated.stderr).toBe('')
    expect(updated.stdout).toContain('ladder')
    expect(await run('test', id, '--category', 'status')).toMatchObject({ code: 0 })
    const rotated = (await run('rotate', id, '--overlap', '60')).stdout
    expect(rotated).toContain('whsec_')
    expect(rotated).not.toContain(secret)
    expect((await run('update', id, '--active', 'no')).stdout).toContain('off')
    expect((await run('delete', id)).stdout).toContain(id)
    expect((await run('list')).stdout).toContain('No endpoints yet')
    await receiver.close()
  })

  it('reject a command that cannot be right before any request', async () => {
    for (const [args, words] of [
      [['create'], '<url>'],
      [['create', 'http://127.0.0.1:9000/', '--kinds', 'letter'], '--kinds is "letter"'],
      [['update', 'ep_x'], 'nothing to change'],
      [['update', 'ep_x', '--active', 'perhaps'], '--active is "perhaps"'],
      [['rotate', 'ep_x', '--overlap', 'long'], '--overlap is "long"'],
      [['create', 'http://127.0.0.1:9000/', '--pull'], 'either <url> or --pull'],
      [['create', '--pull', '--keep-hours', 'many'], '--keep-hours is "many"'],
    ] as const) {
      const { code, stderr } = await run(...args)
      expect({ args, code: code === 0, says: stderr.includes(words) }).toEqual({ args, code: false, says: true })
    }
  })

  it('that a program reads are created by a command, and postern listen prints and acknowledges their events', async () => {
    const session = await gateway.session(account)
    const say = (text: string) =>
      gateway.store.events.publishEvent(makeEvent(gateway.context, account.id, textMessage(session.jid, text)))
    const created = await run('create', '--pull', '--keep-hours', '5', '--json')
    expect(created.stderr).toBe('')
    const { id, type, keep_hours } = JSON.parse(created.stdout)
    expect({ type, keep_hours }).toEqual({ type: 'pull', keep_hours: 5 })
    expect((await run('show', id)).stdout).toContain('keeps events for 5 hours')
    expect((await run('list')).stdout).toMatch(new RegExp(`${id} .*pull`))
    await say('one')
    const env = { POSTERN_API_KEY: account.key }
    const listening = runPostern(['listen', '--endpoint', id, '--json', '--url', gateway.url], env)
    await until(() => listening.stdout().includes('"one"'))
    await say('two')
    await until(() => listening.stdout().includes('"two"'))
    listening.kill('SIGINT')
    expect((await listening.exited).code).toBe(0)
    expect(listening.stdout().trim().split('\n')).toHaveLength(2)
    expect((await account.ask('GET', `/v1/endpoints/${id}/events`)).json.data).toEqual([])
    const both = runPostern(['listen', '--endpoint', id, '--events', 'message', '--url', gateway.url], env)
    expect([(await both.exited).code, both.stderr()]).toEqual([1, expect.stringContaining('leave out --events')])
  })

  it('that a program reads go on where it stopped, in TypeScript and in Python', async () => {
    const session = await gateway.session(account)
    const postern = new PosternClient({ baseUrl: gateway.url, apiKey: account.key })
    const { id } = await postern.endpoints.create({ type: 'pull', session_ids: [session.id] })
    for (const text of ['one', 'two', 'three', 'four'])
      await gateway.store.events.publishEvent(makeEvent(gateway.context, account.id, textMessage(session.jid, text)))
    const texts: unknown[] = []
    for await (const { payload } of postern.pull(id)) {
      texts.push((payload as { text?: string }).text)
      if (texts.length === 3) break
    }
    expect(texts).toEqual(['one', 'two', 'three'])
    // Only the request for the event after it acknowledges an event.
    const program = `import os
from postern_sdk import PosternClient
client = PosternClient(os.environ["POSTERN_URL"], os.environ["POSTERN_API_KEY"])
received = []
for event in client.pull(os.environ["ENDPOINT"]):
    received.append(event["payload"]["text"])
    if len(received) == 2:
        break
for event in client.endpoints.stream(os.environ["ENDPOINT"]):
    received.append(event["kind"])
    break
print(",".join(received))`
    const { stdout } = await promisify(execFile)(needProgram('python3', 'python3'), ['-W', 'error', '-c', program], {
      cwd: resolve(import.meta.dirname, '../../sdk/python'),
      env: {
        PATH: process.env.PATH,
        PYTHONDONTWRITEBYTECODE: '1',
        POSTERN_URL: gateway.url,
        POSTERN_API_KEY: account.key,
        ENDPOINT: id,
      },
    })
    expect(stdout).toBe('three,four,message\n')
    const { data } = await postern.endpoints.read(id)
    expect(data.map(({ body }) => JSON.parse(body).text)).toEqual(['four'])
    expect(await postern.endpoints.ack(id, data[0]!.cursor)).toEqual({ cursor: data[0]!.cursor })
    const ending = new AbortController()
    const rest = postern.pull(id, { signal: ending.signal })
    const next = rest.next()
    ending.abort()
    expect((await next).done).toBe(true)
  })

  it('are managed by the client', async () => {
    const other = await gateway.account()
    const postern = new PosternClient({ baseUrl: gateway.url, apiKey: other.key })
    const { id, secret, ...made } = await postern.endpoints.create({ url: 'http://127.0.0.1:9000/', direction: 'out' })
    expect(secret).toMatch(/^whsec_/)
    expect(await postern.endpoints.get(id)).toMatchObject({ id, ...made })
    expect(await postern.endpoints.update(id, { active: false })).toMatchObject({ id, active: false })
    expect((await postern.endpoints.rotateSecret(id)).secret).not.toBe(secret)
    expect((await postern.endpoints.list()).data.map(each => each.id)).toEqual([id])
    expect(await postern.endpoints.delete(id)).toEqual({ id, deleted: true })
  })
})
