import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findAccess } from '../../src/boot/local-access.ts'
import { ask } from '../harness/client.ts'
import { runCommand } from '../harness/command.ts'
import { type GatewayProcess, type Running, runPostern, settingsAside, startProcess } from '../harness/process.ts'
import { newPlace, type Place } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

const ALL_ROLES = { POSTERN_ROLES: '', POSTERN_OPERATOR_TOKEN: '', POSTERN_LOG_LEVEL: 'error' }
const MAIN = join(import.meta.dirname, '../../dist/bundled/main.js')
const CONTACT = '15551234567'

type Answer = Record<string, unknown> & { data: Array<Record<string, unknown>> }

/** The answer of a tool, or its error. */
async function use(client: Client, name: string, given: Record<string, unknown> = {}): Promise<Answer> {
  const { structuredContent, isError, content } = await client.callTool({ name, arguments: given })
  return (isError === true ? { refused: (content as Array<{ text: string }>)[0]!.text } : structuredContent) as Answer
}

const newClient = async (transport: Transport): Promise<Client> => {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport)
  return client
}

describe('postern mcp with the official client', () => {
  let place: Place
  let gateway: GatewayProcess
  let http: Running
  let url: URL
  let key = ''
  let session = ''
  beforeAll(async () => {
    place = await newPlace('sqlite')
    gateway = await startProcess(place, ALL_ROLES)
    session = (await until(() => /^export POSTERN_SESSION=(\S+)/m.exec(gateway.stdout())))[1]!
    key = /^export POSTERN_API_KEY=(\S+)/m.exec(gateway.stdout())![1]!
    http = runPostern(['mcp', '--http', '--port', '0'], place.env)
    url = new URL((await until(() => /MCP at (http:\S+) /.exec(http.stderr())))[1]!)
  })
  afterAll(async () => {
    for (const each of [http, gateway]) each.kill('SIGTERM')
    await Promise.all([http.exited, gateway.exited])
    place.remove()
  })

  const overHttp = (bearer: string): Promise<Client> => {
    const requestInit = { headers: { authorization: `Bearer ${bearer}` } }
    return newClient(new StreamableHTTPClientTransport(url, { requestInit }) as Transport)
  }
  const overStdio = (): Promise<Client> =>
    newClient(
      new StdioClientTransport({
        command: process.execPath,
        args: ['-e', `import('${MAIN}').then(m => m.main(process.argv.slice(1)))`, '--', 'mcp'],
        env: { ...settingsAside(), ...place.env },
        stderr: 'ignore',
      }),
    )
  const keyWith = async (scopes: string[]): Promise<{ id: string; key: string }> =>
    (await ask(gateway.url, 'POST', '/v1/keys', { key, body: { label: scopes.join(), scopes } })).json

  it('sends once per idempotency key over stdio next to a running gateway, and receives what a contact writes', async () => {
    const client = await overStdio()
    expect(client.getServerVersion()).toMatchObject({ name: 'postern' })
    const numbers = await use(client, 'list_numbers')
    expect(numbers.data).toMatchObject([{ platform: 'sandbox', state: 'connected' }])
    const listener = await use(client, 'listen')
    expect(listener).not.toHaveProperty('secret')
    const message = { session_id: session, to: `+${CONTACT}`, text: 'Hello', idempotency_key: 'hello-1' }
    const sent = await use(client, 'send_message', message)
    expect(await use(client, 'send_message', message)).toEqual(sent)
    await until(async () => (await use(client, 'get_message', { message_id: sent['message_id'] }))['state'] === 'read')
    const phone = await use(client, 'sandbox_read_phones', { session_id: session })
    expect(phone.data.filter(({ text }) => text === 'Hello')).toHaveLength(1)
    const write = { session_id: session, from: CONTACT, type: 'text', text: 'Thanks' }
    expect(await use(client, 'sandbox_contact_writes', write)).toHaveProperty('message_id')
    const events = await until(async () => {
      const read = { listener_id: listener['id'], after: listener['cursor'], wait: 5 }
      const { data } = await use(client, 'read_events', read)
      return data.some(({ kind }) => kind === 'message') ? data : undefined
    })
    const texts = events.filter(({ kind }) => kind === 'message').map(({ payload }) => payload)
    expect(texts).toMatchObject([{ text: 'Thanks', sender_jid: expect.stringContaining(CONTACT) }])
    expect(await use(client, 'stop_listening', { listener_id: listener['id'] })).toMatchObject({ deleted: true })
    await client.close()
  })

  it('lists groups, chats and health, and sends an uploaded file to a group', async () => {
    const client = await overHttp(key)
    const path = `/v1/sessions/${encodeURIComponent(session)}/groups`
    const made = await ask(gateway.url, 'POST', path, { key, body: { subject: 'Agents', members: [CONTACT] } })
    const of = { session_id: session }
    expect((await use(client, 'list_groups', of)).data).toMatchObject([{ jid: made.json.jid, subject: 'Agents' }])
    const group = await use(client, 'get_group', { ...of, group_jid: made.json.jid })
    expect(group['members']).toHaveLength(2)
    expect(await use(client, 'get_health', of)).toMatchObject({ status: 'good' })
    expect(await use(client, 'list_chats', of)).toHaveProperty('synced_at')
    expect((await use(client, 'find_people', { ...of, phones: [CONTACT] })).data).toHaveLength(1)
    const file = { data: Buffer.from('a,b').toString('base64'), content_type: 'text/csv', filename: 'x.csv' }
    const { id } = await use(client, 'upload_media', file)
    const message = { ...of, to: made.json.jid, media_type: 'document', media_id: id, idempotency_key: 'file-1' }
    const sent = await use(client, 'send_message', message)
    await until(
      async () => (await use(client, 'get_message', { message_id: sent['message_id'] }))['state'] !== 'queued',
    )
    expect(await use(client, 'get_message', { message_id: sent['message_id'] })).toMatchObject({ reason: null })
    await client.close()
  })

  it('prints a configuration that starts it from any folder, with the key of the environment or without any', async () => {
    const bin = join(import.meta.dirname, '../../bin/postern.mjs')
    for (const access of [{ POSTERN_URL: gateway.url, POSTERN_API_KEY: key }, place.env]) {
      const env = { ...settingsAside(), ...access }
      const { stdout } = await promisify(execFile)(process.execPath, [bin, 'mcp', '--print-config'], {
        env,
        cwd: tmpdir(),
      })
      const { command, args, env: own } = JSON.parse(stdout).mcpServers.postern
      expect([command, args]).toEqual([process.execPath, [bin, 'mcp']])
      const client = await newClient(
        new StdioClientTransport({
          command,
          args,
          env: { ...settingsAside(), ...own },
          cwd: tmpdir(),
          stderr: 'ignore',
        }),
      )
      expect((await use(client, 'list_numbers')).data).toMatchObject([{ id: session }])
      await client.close()
    }
  })

  it('offers the pages of the documentation and openapi.json', async () => {
    const client = await overHttp(key)
    const { resources } = await client.listResources()
    const uris = resources.map(({ uri }) => uri)
    expect(uris).toEqual(expect.arrayContaining(['postern://openapi.json', 'postern://docs/sandbox.md']))
    const read = async (uri: string) => (await client.readResource({ uri })).contents[0] as { text: string }
    expect(JSON.parse((await read('postern://openapi.json')).text)).toMatchObject({ openapi: '3.1.0' })
    expect((await read('postern://docs/sandbox.md')).text).toContain('sandbox')
    await expect(read('postern://docs/../package.json')).rejects.toThrow('there is no resource')
    await client.close()
  })

  it('offers a key what its scopes permit, rejects the rest, and stops when the key is revoked', async () => {
    const made = await keyWith(['read'])
    const client = await overHttp(made.key)
    const tools = (await client.listTools()).tools
    const names = tools.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['list_numbers', 'list_messages']))
    expect(tools.filter(({ annotations }) => annotations?.readOnlyHint !== true)).toEqual([])
    await expect(use(client, 'send_message', {})).rejects.toThrow('there is no tool "send_message" for this key')
    await ask(gateway.url, 'DELETE', `/v1/keys/${made.id}`, { key })
    await expect(client.listTools()).rejects.toThrow(/401|invalid/)
    await client.close()
  })

  it.each([
    ['idempotency_key', { session_id: '1', to: '1', text: 'x' }, 'idempotency_key is missing'],
    ['to', { idempotency_key: 'k2', session_id: '999:1@s.whatsapp.net', to: '?', text: 'x' }, '"param": "to"'],
    ['colour', { idempotency_key: 'k3', session_id: '1', to: '1', text: 'x', colour: 1 }, 'colour'],
  ])('rejects a send with a wrong %s and names the field', async (_, given, said) => {
    const client = await overHttp(key)
    expect((await use(client, 'send_message', given))['refused']).toContain(said)
    await client.close()
  })

  it.each([
    ['without a key', {}, 401],
    ['with an invalid key', { authorization: 'Bearer ptn_nothing' }, 401],
    ['of a web page', { authorization: 'Bearer ptn_nothing', origin: 'https://evil.example' }, 403],
  ])('rejects a request over HTTP %s', async (_, headers, status) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
    const all = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers }
    expect((await fetch(url, { method: 'POST', headers: all, body })).status).toBe(status)
  })

  it('rejects the token of this machine’s own commands over HTTP', async () => {
    const { token } = findAccess(place.dataDir)[0]!
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
    const all = { ...headers, authorization: `Bearer ${token}` }
    expect((await ask(gateway.url, 'GET', '/v1/me', { key: token })).status).toBe(200)
    expect((await fetch(url, { method: 'POST', headers: all, body })).status).toBe(401)
  })

  it.each([
    [['mcp', '--port', '1'], /--port and --host are for --http/],
    [['mcp', '--http', '--port', 'x'], /--port must be a number/],
    [['mcp', '--http', '--key', 'ptn_x'], /each caller sends its own key/],
    [['mcp', '--key', 'ptn_x'], /the gateway answered 401/],
  ])('rejects %j in one line', async (args, text) => {
    const { code, stderr } = await runCommand(args, place.env)
    expect(code).toBe(1)
    expect(stderr).toMatch(text)
  })
})
