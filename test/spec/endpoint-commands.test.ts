import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PosternClient } from '../../sdk/src/client.ts'
import { startTestGateway, type TestAccount, type TestGateway } from '../harness/gateway.ts'
import { runPostern } from '../harness/process.ts'
import { startReceiver } from '../harness/receiver.ts'

describe('Endpoints by the command line and the client', () => {
  let gateway: TestGateway
  let account: TestAccount

  beforeAll(async () => {
    gateway = await startTestGateway('sqlite')
    account = await gateway.account()
  })
  afterAll(() => gateway.stop())

  const run = async (...args: string[]) => {
    const running = runPostern(['endpoints', ...args, '--url', gateway.url], { POSTERN_API_KEY: account.key })
    const { code } = await running.exited
    return { code, stdout: running.stdout(), stderr: running.stderr() }
  }

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
    ] as const) {
      const { code, stderr } = await run(...args)
      expect({ args, code: code === 0, says: stderr.includes(words) }).toEqual({ args, code: false, says: true })
    }
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
