import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestGateway, type TestAccount, type TestGateway } from '../harness/gateway.ts'
import { runCommand } from '../harness/command.ts'
import { until } from '../harness/until.ts'

const HOOK = 'http://127.0.0.1:9009/in?token=secret-of-a-url'
const PHONES = {
  linked: '999100200301',
  calls: '999100200302',
  asked: '999100200303',
  first: '999100200304',
  second: '999100200305',
  away: '4915550001111',
}
const UNSEEN = expect.stringContaining('webhooks set in their environment were not seen')

/** The form in the documentation of WAHA. */
const WAHA_SESSIONS = [
  {
    name: 'support',
    status: 'WORKING',
    me: { id: `${PHONES.linked}@c.us`, pushName: 'Support' },
    config: {
      metadata: { 'user.id': '123' },
      proxy: null,
      webhooks: [
        {
          url: HOOK,
          events: ['message', 'message.ack', 'session.status', 'group.v2.join'],
          hmac: { key: 'secret-of-theirs' },
          retries: { policy: 'constant', delaySeconds: 2, attempts: 15 },
          customHeaders: [{ name: 'X-Key', value: 'secret-of-theirs' }],
        },
      ],
    },
  },
  { name: 'sales', status: 'WORKING', me: { id: `${PHONES.away}@c.us`, pushName: 'Sales' }, config: {} },
  { name: 'new', status: 'SCAN_QR_CODE' },
]

/** The answers of Evolution API since version 2. */
const INSTANCE = {
  name: 'shop',
  connectionStatus: 'open',
  ownerJid: `${PHONES.calls}@s.whatsapp.net`,
  profileName: 'Shop',
  integration: 'WHATSAPP-BAILEYS',
  token: 'secret-of-theirs',
  Proxy: { enabled: true, password: 'secret-of-theirs' },
  Setting: { rejectCall: true, msgCall: 'Please write', groupsIgnore: true },
}

describe('postern import', () => {
  const folder = mkdtempSync(join(tmpdir(), 'postern-import-'))
  let gateway: TestGateway
  let account: TestAccount
  /** Stands in for both of the others, with the answers above. */
  let theirs: Server
  let theirUrl = ''
  const asked: Array<{ method: string | undefined; url: string }> = []
  beforeAll(async () => {
    gateway = await startTestGateway('sqlite', { POSTERN_ROLES: 'api,worker,simulator' })
    account = await gateway.account()
    for (const phone of Object.values(PHONES).filter(each => each !== PHONES.away)) {
      const add = () => account.ask('POST', '/v1/sessions', { platform: 'sandbox', phone })
      // On a busy machine the sandbox's network may start late.
      await until(async () => (await add()).status === 201)
    }
    theirs = createServer((request, response) => {
      const { method, url = '', headers } = request
      asked.push({ method, url })
      const instance = { ...INSTANCE, ownerJid: `${PHONES.asked}@s.whatsapp.net` }
      const webhook = { enabled: true, url: HOOK, events: ['MESSAGES_UPSERT', 'CALL'], webhookByEvents: true }
      const key = headers['x-api-key'] ?? headers['apikey']
      response.statusCode = key === 'theirs' ? 200 : 401
      response.end(JSON.stringify(url.startsWith('/webhook/find') ? webhook : [instance]))
    }).listen(0, '127.0.0.1')
    await until(() => theirs.listening)
    theirUrl = `http://127.0.0.1:${(theirs.address() as AddressInfo).port}`
    writeFileSync(join(folder, 'sessions.json'), JSON.stringify(WAHA_SESSIONS))
    writeFileSync(
      join(folder, '.env'),
      'WHATSAPP_HOOK_URL=http://127.0.0.1:9009/all\nWHATSAPP_HOOK_EVENTS=poll.vote\nWAHA_API_KEY=secret-of-theirs\n',
    )
  })
  afterAll(async () => {
    theirs.close()
    await gateway.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const run = (...args: string[]) =>
    runCommand(['import', ...args, '--url', gateway.url], { POSTERN_API_KEY: account.key })
  const webhooks = async () => (await account.ask('GET', '/v1/webhooks')).json.data as Array<Record<string, string>>

  it('shows what it would write, writes it, and changes nothing the second time', async () => {
    const dry = await run('waha', folder, '--dry-run')
    expect([dry.code, dry.stderr]).toEqual([0, ''])
    expect(dry.stdout).toContain('would write: webhook')
    expect(await webhooks()).toEqual([])

    const done = JSON.parse((await run('waha', folder, '--json')).stdout)
    const [support, sales, unknown] = done.numbers
    const urls = { messages_url: HOOK, status_url: HOOK, connection_url: HOOK, events_url: 'http://127.0.0.1:9009/all' }
    expect(support).toMatchObject({ urls, secret: expect.stringMatching(/^whsec_/) })
    expect(await webhooks()).toMatchObject([{ ...urls, session_id: expect.stringContaining(PHONES.linked) }])
    expect(support.left.join('\n')).toMatch(
      /hmac[\s\S]*retries[\s\S]*custom headers[\s\S]*metadata[\s\S]*group\.v2\.join/,
    )
    expect(sales.to_do).toEqual([expect.stringMatching(`link \\+${PHONES.away}.*Their keys cannot be moved`)])
    expect(unknown.to_do).toEqual([expect.stringContaining('they do not know the number of "new"')])

    const again = await run('waha', folder)
    expect(again.stdout).toContain('it has a webhook here already')
    expect(again.stdout).not.toContain('written: webhook')
    for (const { stdout } of [dry, again]) expect(stdout).not.toContain('secret-of-theirs')
    expect(await webhooks()).toHaveLength(1)
  })

  it('imports from a file of Evolution API that calls are rejected, and names the connected integrations', async () => {
    const file = join(folder, 'instances.json')
    writeFileSync(file, JSON.stringify([INSTANCE]))
    const { numbers } = JSON.parse((await run('evolution', file, '--json')).stdout)
    rmSync(file)
    expect(numbers[0].done).toContain('calls are rejected')
    expect(numbers[0].left).toEqual([
      'switches of the instance: groupsIgnore',
      'what the instance is connected with: Proxy',
      UNSEEN,
    ])
    expect(numbers[0].to_do).toEqual([expect.stringContaining('no webhook URL was found')])
    const { data } = (await account.ask('GET', '/v1/sessions')).json
    const ours = data.find(({ phone }: { phone: string }) => phone.includes(PHONES.calls))
    expect(ours.auto_reject).toEqual({ enabled: true, message: 'Please write' })
  })

  it('queries a running Evolution API with its own key, and writes nothing there', async () => {
    const refused = await run('evolution', theirUrl)
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('refuses the key. Give theirs with --their-key.'),
    ])
    const { numbers } = JSON.parse((await run('evolution', theirUrl, '--their-key', 'theirs', '--json')).stdout)
    expect(numbers[0].urls).toEqual({ messages_url: HOOK, events_url: HOOK })
    expect(numbers[0].left).toContainEqual(expect.stringContaining('a path for each event behind the URL'))
    expect(numbers[0].left).toContainEqual(UNSEEN)
    expect(asked.map(({ url }) => url)).toEqual(
      expect.arrayContaining(['/instance/fetchInstances', '/webhook/find/shop']),
    )
    expect(new Set(asked.map(({ method }) => method))).toEqual(new Set(['GET']))
  })

  it('continues after entries that the gateway rejects, and shows the secrets of what it wrote', async () => {
    const session = (name: string, phone: string, hook: object) => ({
      name,
      status: 'WORKING',
      me: { id: `${phone}@c.us`, pushName: name },
      config: { webhooks: [hook] },
    })
    const label = 'n'.repeat(120)
    const file = join(folder, 'refused.json')
    writeFileSync(
      file,
      JSON.stringify([
        session(label, PHONES.first, { url: HOOK, events: ['message'] }),
        session('second', PHONES.second, { url: 'ftp://127.0.0.1/in', events: ['message'] }),
        session('again', PHONES.first, { url: HOOK, events: ['message'] }),
      ]),
    )
    const { code, stdout } = await run('waha', file, '--json')
    rmSync(file)
    const [first, second, again] = JSON.parse(stdout).numbers
    expect(first).toMatchObject({ secret: expect.stringMatching(/^whsec_/), to_do: [], left: [UNSEEN] })
    expect(second).toMatchObject({
      done: ['label "second"'],
      to_do: [expect.stringMatching(/^webhook: .*messages_url/)],
    })
    expect(again).toMatchObject({ done: [], to_do: [expect.stringContaining('it has a webhook here already')] })
    expect(code).toBe(1)
    const { data } = (await account.ask('GET', '/v1/sessions')).json
    const ours = data.find(({ phone }: { phone: string }) => phone.includes(PHONES.first))
    expect(ours.label).toBe(label.slice(0, 100))
  })

  it.each([
    [['wuzapi', '.'], /"wuzapi" cannot be imported: choose waha or evolution/],
    [['waha', 'nothing-here'], /nothing-here is not there/],
    [['waha', '.env.example'], /names no sessions\. Save what GET \/api\/sessions/],
    [['waha', 'package.json'], /lists no sessions of waha|not JSON/],
  ])('rejects %j in one line that names the remedy', async (args, text) => {
    const { code, stderr } = await run(...args)
    expect(code).toBe(1)
    expect(stderr).toMatch(text)
  })
})
