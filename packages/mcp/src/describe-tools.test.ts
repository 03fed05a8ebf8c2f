import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { describeTools, type OpenApi } from './describe-tools.ts'
import { TOOL_NAMES } from './tool-names.ts'
import { toolRequest } from './tool-request.ts'

const ROOT = join(import.meta.dirname, '../../..')
const openApi = JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8')) as OpenApi
const named = (name: string) => TOOL_NAMES.find(each => each.name === name)!
const toolOf = (name: string) => describeTools(TOOL_NAMES, openApi, null).find(each => each.name === name)!

const DANGEROUS =
  /erase|export|proxy|keys|pairings|operator|privacy|profile|secret|invite|^delete (?!\/v1\/(messages|listeners)\/)/

describe('tools', () => {
  it('every one is a call of the interface, with a name of its own', () => {
    expect(describeTools(TOOL_NAMES, openApi, null).map(({ name }) => name)).toEqual(TOOL_NAMES.map(({ name }) => name))
    expect(new Set(TOOL_NAMES.map(({ name }) => name)).size).toBe(TOOL_NAMES.length)
  })

  it.each([
    [['read'], ['send_message', 'upload_media', 'change_chat', 'listen', 'sandbox_contact_writes', 'list_requests']],
    [['send'], ['list_messages', 'get_group', 'list_chats', 'list_numbers', 'listen', 'resend_delivery']],
    [
      ['send', 'read'],
      ['listen', 'read_events', 'sandbox_add_number', 'restart_number'],
    ],
    [['send', 'read', 'manage'], []],
    [[], TOOL_NAMES.map(({ name }) => name).filter(name => name !== 'about_account')],
  ])('with the scopes %j those of %j are not offered', (scopes, absent) => {
    const offered = describeTools(TOOL_NAMES, openApi, scopes).map(({ name }) => name)
    expect(offered.filter(name => absent.includes(name))).toEqual([])
    expect(offered).toContain('about_account')
  })

  it.each([
    ['list_messages', { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }],
    ['send_message', { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true }],
    ['revoke_message', { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true }],
    ['restart_number', { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false }],
  ])('%s says what it does to the world', (name, hints) => {
    expect(toolOf(name).annotations).toMatchObject(hints)
  })

  it('a tool whose POST changes nothing has the hints of one that reads', () => {
    for (const name of ['find_people', 'find_channel'])
      expect(toolOf(name).annotations).toMatchObject({ readOnlyHint: true, idempotentHint: true })
  })

  it('no tool erases, deletes, unlinks, moves or reveals a secret', () => {
    const changing = TOOL_NAMES.filter(({ method, isReading }) => method !== 'get' && isReading !== true)
    expect(changing.map(({ method, path }) => `${method} ${path}`).filter(call => DANGEROUS.test(call))).toEqual([])
  })

  it('asks for the fields of the call, and to send for a name of the message', () => {
    const { inputSchema } = toolOf('send_message')
    expect(inputSchema.required).toEqual(['idempotency_key', 'session_id', 'to'])
    expect(Object.keys(inputSchema.properties)).toEqual(expect.arrayContaining(['text', 'media_url', 'poll']))
    expect(toolOf('list_channel_posts').inputSchema).toMatchObject({
      properties: { channel_jid: { description: 'The JID of the channel.' } },
      required: ['session_id', 'channel_jid'],
    })
    expect(toolOf('upload_media').inputSchema.required).toEqual(['data', 'content_type'])
    expect(toolOf('read_events').inputSchema.required).toEqual(['listener_id', 'after'])
  })

  it.each([
    [
      'get_number',
      { session_id: '15551234567:1@s.whatsapp.net' },
      { method: 'GET', path: '/v1/sessions/15551234567%3A1%40s.whatsapp.net', headers: {} },
    ],
    ['list_messages', { limit: 2 }, { method: 'GET', path: '/v1/messages?limit=2', headers: {} }],
    [
      'send_message',
      { idempotency_key: 'k', to: '1', text: 'Hi' },
      { method: 'POST', path: '/v1/messages', body: { to: '1', text: 'Hi' }, headers: { 'idempotency-key': 'k' } },
    ],
    [
      'send_message',
      { to: '1', text: 'Hi', data: 'aGk=', content_type: 'text/plain' },
      {
        method: 'POST',
        path: '/v1/messages',
        body: { to: '1', text: 'Hi', data: 'aGk=', content_type: 'text/plain' },
        headers: {},
      },
    ],
    ['revoke_message', { message_id: 'msg_1' }, { method: 'DELETE', path: '/v1/messages/msg_1', headers: {} }],
    [
      'get_group',
      { session_id: '15551234567@s.whatsapp.net', group_jid: '120363000000000001@g.us' },
      {
        method: 'GET',
        path: '/v1/sessions/15551234567%40s.whatsapp.net/groups/120363000000000001%40g.us',
        headers: {},
      },
    ],
    [
      'upload_media',
      { data: 'aGk=', content_type: 'text/plain', filename: 'a b.txt' },
      {
        method: 'POST',
        path: '/v1/media?filename=a+b.txt',
        body: new Uint8Array([104, 105]),
        headers: { 'content-type': 'text/plain' },
      },
    ],
  ])('%s with %j asks the gateway so', (name, given, request) => {
    expect(toolRequest(named(name), given)).toEqual(request)
  })

  it.each([[{}], [{ session_id: '' }], [{ session_id: 1 }]])('an id that is none, %j, asks for nothing', given => {
    expect(() => toolRequest(named('get_number'), given)).toThrow('session_id is missing')
  })

  it.each([
    ['get_number', 'session_id', 'a/b@c'],
    ['get_number', 'session_id', '..'],
    ['get_message', 'message_id', '.'],
    ['get_message', 'message_id', '..'],
    ['get_message', 'message_id', 'msg_1/../../me'],
    ['get_delivery', 'delivery_id', 'events'],
    ['stop_listening', 'listener_id', 'lsn_1?x'],
  ])('%s with a %s that names another route, %s, asks for nothing', (name, field, id) => {
    expect(() => toolRequest(named(name), { [field]: id })).toThrow(new RegExp(`^${field} must be`))
  })

  it.each([['..'], ['1@g.us/../leave'], ['join'], [''], [7]])('get_group sends no request for group_jid %j', jid => {
    const given = { session_id: '15551234567@s.whatsapp.net', group_jid: jid }
    expect(() => toolRequest(named('get_group'), given)).toThrow(/^group_jid must be a JID/)
  })

  it.each([
    [{ data: 'no base64!', content_type: 'text/plain' }, /^data must be base64/],
    [{ data: 'aGk=', content_type: 'a\r\nb' }, /^content_type must be/],
  ])('upload_media sends no request for the file %j', (given, error) => {
    expect(() => toolRequest(named('upload_media'), given)).toThrow(error)
  })

  it.each([['a\nb'], ['grün'], [''], [7], ['x'.repeat(256)]])('the idempotency_key %j asks for nothing', key => {
    expect(() => toolRequest(named('send_message'), { idempotency_key: key, to: '1' })).toThrow(
      'idempotency_key must be 1 to 255 visible ASCII characters',
    )
  })

  it('no file of the gateway but this command loads the package, and this command only when it runs', () => {
    const src = join(ROOT, 'src')
    const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(path => path.endsWith('.ts'))
    const loading = files.filter(path => /'(@modelcontextprotocol|#mcp)\//.test(readFileSync(join(src, path), 'utf8')))
    expect(loading.filter(path => path !== 'cli/mcp.ts')).toEqual([])
    expect(readFileSync(join(src, 'cli/mcp.ts'), 'utf8')).not.toMatch(/from '(@modelcontextprotocol|#mcp)/)
  })
})
