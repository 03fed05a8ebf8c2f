import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestGateway, type TestAccount, type TestGateway } from '../harness/gateway.ts'
import { follow, settingsAside } from '../harness/process.ts'

const MAIN = join(import.meta.dirname, '../../dist/bundled/main.js')
const START = `import('${MAIN}').then(m => m.main(process.argv.slice(1)))`
const WARNING = /every user of this machine can read --key in the list of processes\. Use POSTERN_API_KEY/

describe('A secret that a command needs', () => {
  let gateway: TestGateway
  let account: TestAccount
  beforeAll(async () => {
    gateway = await startTestGateway('sqlite')
    account = await gateway.account()
  })
  afterAll(() => gateway.stop())

  async function run(args: string[], input = '', env: Record<string, string> = {}) {
    const child = spawn(process.execPath, ['-e', START, '--', ...args], {
      env: { ...settingsAside(), POSTERN_URL: gateway.url, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    const running = follow(child)
    child.stdin.on('error', () => {}).end(input)
    const { code } = await running.exited
    return { code, stdout: running.stdout(), stderr: running.stderr() }
  }

  it('can come from standard input or the environment, and as an argument it gets a warning', async () => {
    const typed = await run(['status', '--json', '--key', account.key])
    expect([typed.code, typed.stderr]).toEqual([0, expect.stringMatching(WARNING)])
    for (const quiet of [
      await run(['status', '--json', '--key', '-'], `${account.key}\n`),
      await run(['status', '--json'], '', { POSTERN_API_KEY: account.key }),
    ]) {
      expect([quiet.code, quiet.stderr]).toEqual([0, ''])
      expect(JSON.parse(quiet.stdout).account.id).toBe(account.id)
    }
  })

  it('is never part of a message about wrong options', async () => {
    const empty = await run(['status', '--key', '-'])
    expect([empty.code, empty.stderr]).toEqual([
      1,
      expect.stringMatching(/^postern: --key is -, but standard input is/),
    ])
    const twice = await run(['import', 'waha', 'x', '--key', '-', '--their-key', '-'], account.key)
    expect([twice.code, twice.stderr]).toEqual([1, expect.stringMatching(/standard input can hold only one of them/)])
    const address = await run(['move', '--to', 'postgres://postern:hunter2@127.0.0.1:1/none'])
    expect(address.stderr).toMatch(/can read --to in the list of processes\. Use standard input/)
    expect(address.stderr).not.toContain('hunter2')
    expect((await run(['move', '--to', 'postgres://127.0.0.1:1/none'])).stderr).not.toContain('list of processes')
  })
})
