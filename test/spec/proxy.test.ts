import { expect, test } from 'vitest'
import { expectError } from '../harness/client.ts'
import { onAnyStore, type TestAccount } from '../harness/gateway.ts'

const PUBLIC = 'socks5://canary-user:canary-pass@192.88.98.1:1080'

onAnyStore(gateway => {
  const at = (id: string, tail = ''): string => `/v1/sessions/${encodeURIComponent(id)}/proxy${tail}`
  const own = async (options?: { hosted?: boolean }): Promise<{ account: TestAccount; id: string }> => {
    const account = await gateway().account()
    const { id } = await gateway().session(account, options)
    return { account, id }
  }

  test('the proxy of a number is set, shown without its credentials, and removed', async () => {
    const { account, id } = await own()
    expectError(await account.ask('GET', at(id)), 404)
    const shown = { scheme: 'socks5', host: '192.88.98.1', port: 1080 }
    for (const answer of [await account.ask('PUT', at(id), { url: PUBLIC }), await account.ask('GET', at(id))])
      expect([answer.status, answer.json]).toEqual([200, shown])
    const session = await account.ask('GET', `/v1/sessions/${encodeURIComponent(id)}`)
    const list = await account.ask('GET', '/v1/sessions')
    expect([session.json.proxy, list.json.data[0].proxy]).toEqual([shown, shown])
    for (const { text } of [session, list, await account.ask('GET', '/v1/requests')]) expect(text).not.toMatch(/canary/)
    expect((await account.ask('DELETE', at(id))).json).toEqual({ id: session.json.jid, deleted: true })
    expectError(await account.ask('GET', at(id)), 404)
    expect((await account.ask('DELETE', at(id))).status).toBe(200)
  })

  test('the proxy is sealed in the database', async () => {
    const { account, id } = await own()
    await account.ask('PUT', at(id), { url: PUBLIC })
    const stored = await gateway().store.sessions.getSession(id.replace(/:\d+@/, '@'))
    const bytes = Buffer.from(stored!.proxy!).toString('latin1')
    for (const word of ['canary', '192.88', 'socks5']) expect(bytes).not.toContain(word)
  })

  test.each([
    ['a private address', 'socks5://10.0.0.1:1080', 'url_not_allowed'],
    ['the metadata service of a cloud', 'http://169.254.169.254', 'url_not_allowed'],
    ['a host that is none', 'socks5://-proxy-:1080', 'url_not_allowed'],
    ['a port of another service', 'socks5://192.88.98.1:5432', 'url_not_allowed'],
    ['another scheme', 'ftp://192.88.98.1', 'parameter_invalid'],
    ['a path', 'http://192.88.98.1/proxy', 'parameter_invalid'],
    ['no URL', 'proxy', 'parameter_invalid'],
  ])('a proxy with %s is 400, for a number and for a pairing', async (_what, url, code) => {
    const { account, id } = await own()
    const answer = await account.ask('PUT', at(id), { url })
    expectError(answer, 400)
    expect(answer.headers['x-error-code']).toBe(code)
    expect(answer.json.error).toMatch(/^url /)
    const pairing = await account.ask('POST', '/v1/pairings', { method: 'qr', proxy: { url } })
    expectError(pairing, 400)
    expect(pairing.headers['x-error-code']).toBe(code)
    expect(pairing.json.error).toMatch(/^proxy\.url /)
  })

  test('a test of the proxy is 409 while no worker runs the number', async () => {
    const { account, id } = await own({ hosted: false })
    await account.ask('PUT', at(id), { url: PUBLIC })
    expectError(await account.ask('POST', at(id, '/test')), 409)
  })

  test('a number that moves to another account leaves its proxy behind, and keeps it in the same account', async () => {
    const { account, id } = await own()
    const other = await gateway().account()
    await account.ask('PUT', at(id), { url: PUBLIC })
    const jid = id.replace(/:\d+@/, '@')
    const register = (accountId: string) =>
      gateway().store.sessions.registerSession({
        accountId,
        id: jid,
        phone: jid.split('@')[0]!,
        device: 2,
        label: '',
        platform: 'whatsapp',
        maxSessions: null,
      })
    const stored = async () => (await gateway().store.sessions.getSession(jid))?.proxy ?? null
    await register(account.id)
    expect(await stored()).not.toBeNull()
    await register(other.id)
    expect(await stored()).toBeNull()
  })
})
