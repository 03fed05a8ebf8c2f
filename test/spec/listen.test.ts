import { createHmac } from 'node:crypto'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PosternClient } from '../../sdk/src/client.ts'
import type { ListenerPosition } from '../../sdk/src/listen.ts'
import { ask, expectError } from '../harness/client.ts'
import { runCommand } from '../harness/command.ts'
import { cells } from '../harness/matrix.ts'
import { blackPng } from '../harness/pictures.ts'
import { needProgram } from '../harness/programs.ts'
import { type GatewayProcess, type Running, runPostern, startProcess } from '../harness/process.ts'
import { startReceiver } from '../harness/receiver.ts'
import { newPlace, type Place, queryPlace } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

const ALL_ROLES = { POSTERN_ROLES: '', POSTERN_OPERATOR_TOKEN: '', POSTERN_LOG_LEVEL: 'error' }

interface Line {
  cursor: string
  event_id: string
  kind: string
  payload: { text?: string; kind: string }
  forwarded?: { status: number | null }
}

const signatureOf = (secret: string, seconds: string, body: Buffer): string =>
  createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex')

const linesOf = (listening: Running): Line[] =>
  listening
    .stdout()
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line) as Line)

describe('The commands and clients of an account without a webhook', () => {
  let place: Place
  let gateway: GatewayProcess
  let session = ''
  let key = ''
  const run = (args: string[]) => runCommand(args, place.env)
  const say = async (text: string) => {
    const path = `/sandbox/sessions/${encodeURIComponent(session)}/incoming`
    const said = await ask(gateway.url, 'POST', path, { key, body: { from: '15550001111', type: 'text', text } })
    expect(said.status, said.text).toBeLessThan(300)
  }
  const listen = async (...args: string[]): Promise<Running> => {
    const listening = runPostern(['listen', '--json', ...args], place.env)
    await until(() => listening.stderr().includes('Listening at'))
    return listening
  }
  beforeAll(async () => {
    place = await newPlace('sqlite')
    gateway = await startProcess(place, ALL_ROLES)
    session = (await until(() => /^export POSTERN_SESSION=(\S+)/m.exec(gateway.stdout())))[1]!
    key = /^export POSTERN_API_KEY=(\S+)/m.exec(gateway.stdout())![1]!
  })
  afterAll(async () => {
    gateway.kill('SIGTERM')
    await gateway.exited
    place.remove()
  })

  it('postern listen prints every event once, in order, through a restart of the gateway, and forwards it signed', async () => {
    const receiver = await startReceiver()
    const forwardedTexts = () =>
      receiver.ledger.map(({ body }) => (JSON.parse(body.toString()) as { text: string }).text)
    const listening = await listen('--events', 'message', '--forward-to', receiver.url('/hook'))
    const secret = (await until(() => /signed with (whsec_\S+)/.exec(listening.stderr())))[1]!
    await say('one')
    await receiver.until(({ length }) => length === 1)
    gateway.kill('SIGKILL')
    await gateway.exited
    gateway = await startProcess(place, ALL_ROLES)
    const number = `/v1/sessions/${encodeURIComponent(session)}`
    await until(async () => (await ask(gateway.url, 'GET', number, { key })).json.state === 'connected')
    await say('two')
    await say('three')
    await receiver.until(({ length }) => length === 3)
    expect(forwardedTexts()).toEqual(['one', 'two', 'three'])
    for (const { headers, body } of receiver.ledger)
      expect(headers['x-webhook-signature']).toContain(signatureOf(secret, String(headers['x-timestamp']), body))
    await until(() => linesOf(listening).length === 3)
    const lines = linesOf(listening)
    expect(lines.map(line => [line.kind, line.payload.text, line.forwarded?.status])).toEqual([
      ['message', 'one', 200],
      ['message', 'two', 200],
      ['message', 'three', 200],
    ])
    listening.kill('SIGINT')
    expect((await listening.exited).code).toBe(0)
    await receiver.close()
  })

  it('two listeners receive the same events, and nothing is stored after both have ended', async () => {
    const both = [await listen(), await listen()]
    const sent = await run(['send', '--to', '+1 555 123 4567', '--text', 'Hello', '--json'])
    expect(JSON.parse(sent.stdout)).toMatchObject({ to: '15551234567@s.whatsapp.net' })
    for (const listening of both) await until(() => linesOf(listening).some(line => line.kind === 'receipt'))
    for (const listening of both) listening.kill('SIGINT')
    await Promise.all(both.map(listening => listening.exited))
    expect(await queryPlace(place, 'select count(*) as n from listened_events')).toEqual([{ n: 0 }])
    expect(await queryPlace(place, 'select count(*) as n from listeners')).toEqual([{ n: 0 }])
  })

  it('a listener with kinds reads only events of these kinds', async () => {
    const wrong = await ask(gateway.url, 'POST', '/v1/listeners', { key, body: { kinds: ['calls'] } })
    expectError(wrong, 400, /^kinds/)
    const { id, cursor } = (await ask(gateway.url, 'POST', '/v1/listeners', { key, body: { kinds: ['call'] } })).json
    await say('not for this listener')
    expect((await run(['trigger', 'call'])).code).toBe(0)
    let after: string = cursor
    const read: Line[] = []
    await until(async () => {
      const page = await ask(gateway.url, 'GET', `/v1/listeners/${id}/events?after=${after}`, { key })
      read.push(...page.json.data)
      after = page.json.cursor
      return read.length > 0
    })
    expect(read.map(({ kind }) => kind)).toEqual(['call'])
    await ask(gateway.url, 'DELETE', `/v1/listeners/${id}`, { key })
  })

  it('sessions --appear changes how a number appears to its contacts', async () => {
    const changed = await run(['sessions', session, '--appear', 'offline'])
    expect([changed.code, JSON.parse(changed.stdout).appear]).toEqual([0, 'offline'])
    expect((await run(['sessions', session, '--appear', 'away'])).stderr).toContain('appear')
    expect((await run(['sessions', '--appear', 'auto'])).stderr).toContain('--appear needs the id')
    expect(JSON.parse((await run(['sessions', session, '--appear', 'auto'])).stdout).appear).toBe('auto')
  })

  it('sessions --pace sets and removes the pace of a number', async () => {
    const changed = await run(['sessions', session, '--pace', '{"max_ms": 5}'])
    expect([changed.code, JSON.parse(changed.stdout).pace]).toMatchObject([0, { min_ms: 0, max_ms: 5 }])
    expect((await run(['sessions', session, '--pace', 'slow'])).stderr).toContain('--pace must be JSON')
    expect((await run(['sessions', '--pace', 'none'])).stderr).toContain('--pace needs the id')
    expect(JSON.parse((await run(['sessions', session, '--pace', 'none'])).stdout).pace).toBeNull()
  })

  it('send --follow and trigger show their events, even if the listener begins late', async () => {
    const sent = await run(['send', '--to', '+1 555 123 4567', '--text', 'Hello', '--follow', '--json'])
    expect([sent.code, sent.stderr]).toEqual([0, ''])
    const events = sent.stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as Line)
    expect(events.map(({ kind, payload }) => [kind, Object(payload).status ?? Object(payload).receipt_type])).toEqual([
      ['status', 'sent'],
      ['receipt', 'delivered'],
      ['receipt', 'read'],
    ])
    const gone = await run(['send', '--to', '15551230404', '--text', 'Hello', '--follow'])
    expect([gone.code, gone.stdout]).toEqual([1, expect.stringMatching(/: queued\n.*status\.failed/)])
    const called = await run(['trigger', 'call', '--follow'])
    expect([called.code, called.stdout]).toEqual([0, expect.stringMatching(/^\S+ {2}call\.offer /)])
    expect(await queryPlace(place, 'select count(*) as n from listeners')).toEqual([{ n: 0 }])
  })

  it('commands read POSTERN_URL, POSTERN_API_KEY and POSTERN_SESSION in any folder; a flag wins', async () => {
    const variables = { POSTERN_URL: gateway.url, POSTERN_API_KEY: key, POSTERN_SESSION: session }
    const elsewhere = (args: string[], env: Record<string, string> = variables) => runCommand(args, env, tmpdir())
    const second = (await ask(gateway.url, 'POST', '/v1/sessions', { key, body: { platform: 'sandbox' } })).json
    const ambiguous = await elsewhere(['send', '--to', '15551230000', '--text', 'x'], {
      ...variables,
      POSTERN_SESSION: '',
    })
    expect(ambiguous.stderr).toContain('the account has 2 numbers: name one with --session or POSTERN_SESSION')
    const one = await elsewhere(['trigger', 'message'])
    expect(one.stdout).toContain(`message triggered on ${session}`)
    const other = await elsewhere(['trigger', 'message', '--session', second.jid])
    expect(other.stdout).toContain(`message triggered on ${second.jid}`)
    const stale = await elsewhere(['send', '--to', '15551230000', '--text', 'x'], {
      ...variables,
      POSTERN_SESSION: '999000@s.whatsapp.net',
    })
    expect(stale.stderr).toMatch(
      /^postern: POSTERN_SESSION is 999000@s\.whatsapp\.net, which is no number of this account/,
    )
    await ask(gateway.url, 'DELETE', `/v1/sessions/${encodeURIComponent(second.jid)}`, { key })
  })

  it('commands create, change and delete a webhook, and another opens the portal with a link that signs in', async () => {
    const receiver = await startReceiver()
    const made = await run(['webhooks', 'create', receiver.url('/hook'), '--events', receiver.url('/events')])
    expect([made.code, made.stderr]).toEqual([0, ''])
    expect(made.stdout).toMatch(/^wh_\S+ of 999[^]*signed with whsec_\S+ \(never shown again\)/)
    const { data } = JSON.parse((await run(['webhooks', 'list', '--json'])).stdout)
    expect(data).toMatchObject([{ messages_url: receiver.url('/hook'), events_url: receiver.url('/events') }])
    const tested = await run(['webhooks', 'test'])
    expect([tested.code, tested.stdout.match(/ 200 /g)]).toEqual([0, [' 200 ', ' 200 ', ' 200 ', ' 200 ']])
    const changed = JSON.parse(
      (await run(['webhooks', 'update', '--status', receiver.url('/status'), '--json'])).stdout,
    )
    expect(changed).toMatchObject({ messages_url: receiver.url('/hook'), status_url: receiver.url('/status') })
    expect((await run(['webhooks', 'delete', data[0].id])).stdout).toBe(`${data[0].id} is deleted.\n`)
    await receiver.close()
    const opened = JSON.parse((await run(['open', '--print', '--json'])).stdout)
    expect(opened).toMatchObject({ email: 'owner@postern.local', opened: false })
    const token = new URL(opened.url).hash.slice(1)
    const headers = { origin: gateway.url, 'sec-fetch-site': 'same-origin' }
    const entered = await ask(gateway.url, 'POST', '/portal/api/sign-in/link', { body: { token }, headers })
    expect(entered.status).toBe(200)
  })

  it('send uploads a local file from a sandbox number, with the type that its name indicates', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'postern-send-'))
    const write = (name: string, content: Uint8Array) => {
      writeFileSync(join(folder, name), content)
      return join(folder, name)
    }
    const picture = blackPng({ width: 20, height: 20 })
    const send = (...args: string[]) => run(['send', '--to', '15551234500', '--json', ...args])
    const files = [write('photo.png', picture), write('notes.weird', Buffer.from('words'))]
    for (const file of files) {
      const { code, stdout, stderr } = await send('--file', file, '--text', 'see')
      expect([code, stderr]).toEqual([0, ''])
      expect(JSON.parse(stdout)).toMatchObject({ type: 'media' })
    }
    const path = `/sandbox/sessions/${encodeURIComponent(session)}/messages?contact=15551234500&include_media=true`
    const { data } = (await ask(gateway.url, 'GET', path, { key })).json
    expect(data.map(({ type, media }: { type: string; media: { data: string } }) => [type, media.data])).toEqual([
      ['document', Buffer.from('words').toString('base64')],
      ['image', picture.toString('base64')],
    ])
    const refusals = [
      await send('--file', join(folder, 'none.png')),
      await send('--file', files[0]!, '--media-url', 'https://example.com/x.png'),
      await send('--file', files[0]!, '--session', '15550001111@s.whatsapp.net'),
    ]
    expect(refusals.map(({ code }) => code)).toEqual([1, 1, 1])
    const [unreadable, both, real] = refusals.map(({ stderr }) => stderr)
    expect(unreadable).toMatch(/^postern: --file: .*none\.png cannot be read\.\n$/)
    expect(both).toMatch(/^postern: --file and --media-url were given/)
    expect(real).toMatch(/session does not belong to this tenant/)
    rmSync(folder, { recursive: true })
  })

  it('send sends every content that the command line has options for, and schedules', async () => {
    const to = '15551234600'
    const send = async (...args: string[]) => {
      const { code, stdout, stderr } = await run(['send', '--to', to, '--json', ...args])
      expect([args, code, stderr]).toEqual([args, 0, ''])
      return JSON.parse(stdout) as { id: string; type: string; state: string; send_at: string | null }
    }
    const uploaded = await fetch(`${gateway.url}/v1/media?filename=x.png`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'image/png' },
      body: blackPng({ width: 20, height: 20 }),
    })
    const { id: mediaId } = (await uploaded.json()) as { id: string }
    const first = await send('--text', 'Hello', '--typing-ms', '1', '--priority', 'high')
    const cards = await send('--contact', 'Lovelace, Ada,+1 555 123 4567; Bob,15551234568')
    const kinds = [
      await send('--media-id', mediaId, '--media-type', 'image', '--view-once'),
      await send('--location', '52.5163,13.3777,Office', '--reply-to', first.id),
      cards,
      await send('--poll', 'Which day?', '--options', 'Monday, Tuesday', '--choose', '2'),
      await send(
        '--text',
        'Do you come?',
        '--buttons',
        'Yes,Site=https://example.com/a=b,Call=tel:+15551234567,C=copy:A1',
      ),
      await send('--react', first.id, '--text', '👍'),
      await send('--forward', first.id),
      await send('--fields', '{"event": {"name": "Launch", "start": "2026-12-31T12:00:00Z"}}'),
    ].map(({ type }) => type)
    expect(kinds).toEqual(['media', 'location', 'contacts', 'poll', 'buttons', 'reaction', 'forward', 'event'])
    const path = `/sandbox/sessions/${encodeURIComponent(session)}/messages?contact=${to}&limit=20`
    const { data } = (await ask(gateway.url, 'GET', path, { key })).json
    const { content: sent } = (await ask(gateway.url, 'GET', `/v1/messages/${cards.id}`, { key })).json
    expect(sent.content.contacts).toEqual([
      { name: 'Lovelace, Ada', phone: '15551234567' },
      { name: 'Bob', phone: '15551234568' },
    ])
    const shown = JSON.stringify(data)
    for (const word of ['Office', 'Monday', 'Do you come?', 'https://example.com/a=b']) expect(shown).toContain(word)
    const at = new Date(Date.now() + 3_600_000).toISOString()
    const scheduled = await send('--text', 'later', '--at', at)
    expect(scheduled).toMatchObject({ state: 'scheduled', send_at: at })
    const { content } = (await ask(gateway.url, 'GET', `/v1/messages/${scheduled.id}`, { key })).json
    expect(content).toMatchObject({ content: { type: 'text', text: 'later' } })
    await ask(gateway.url, 'DELETE', `/v1/messages/${scheduled.id}`, { key })
  })

  it.each([
    [
      ['--poll', 'Which?', '--location', '1,2'],
      /^postern: --location and --poll were given: a message has one content/,
    ],
    [['--poll', 'Which?'], /^postern: --options is missing/],
    [['--text', 'x', '--options', 'a,b'], /^postern: --options goes only with --poll/],
    [['--location', 'Berlin'], /^postern: --location is "Berlin": give latitude and longitude/],
    [['--location', '91,0'], /^postern: --location: .* 400: location\.latitude must be at most 90/],
    [['--contact', 'Ada'], /^postern: --contact is "Ada": give a name and a number/],
    [['--poll', 'Which?', '--options', 'a'], /^postern: --options: .* 400: poll\.options must have at least 2 items/],
    [['--poll', 'Which?', '--options', 'a,b', '--choose', '3'], /^postern: --choose: .* 400: poll\.selectable_count/],
    [
      ['--text', 'x', '--buttons', `${'long '.repeat(9)},No`],
      /^postern: --buttons: .* 400: buttons\S*\.text must not have/,
    ],
    [['--text', 'x', '--view-once'], /^postern: --view-once: .* 400: view_once does not go with text/],
    [['--text', 'x', '--forward', 'msg_1'], /^postern: --text: .* 400: text does not go with forward/],
    [['--media-id', 'med_1', '--text', 'x'], /^postern: --media-type: .* 400: media_type is required with media_id/],
    [['--text', 'x', '--typing-ms', 'long'], /^postern: --typing-ms is "long": give a whole number/],
    [['--text', 'x', '--typing-ms', '30001'], /^postern: --typing-ms: .* 400: typing_ms must be at most 30000/],
    [['--text', 'x', '--priority', 'top'], /^postern: --priority: .* 400: priority must be/],
    [['--text', 'x', '--at', 'tomorrow'], /^postern: --at: .* 400: send_at must be an ISO 8601 time/],
    [['--fields', '{"evnt": {}}'], /^postern: --fields: .* 400: evnt is not a known field/],
    [['--fields', '[]'], /^postern: --fields must be a JSON object/],
  ])('send %j is rejected with the name of the option', async (args, error) => {
    const { code, stderr } = await run(['send', '--to', '15551234600', ...args])
    expect([code, stderr]).toEqual([1, expect.stringMatching(error)])
  })

  it('groups, channels, contacts, chats, health and profile of a number have commands', async () => {
    const json = async (...args: string[]) => {
      const { code, stdout, stderr } = await run([...args, '--json'])
      expect([args, code, stderr]).toEqual([args, 0, ''])
      return JSON.parse(stdout)
    }
    const said = async (...args: string[]) => (await run(args)).stdout
    const create = ['groups', 'create', 'Project 1001', '--members', '+15551234601,15551230463', '--id', 'project-1']
    const group = await json(...create)
    expect((await json(...create)).jid).toBe(group.jid)
    expect(await said('groups', 'list')).toMatch(new RegExp(`^${group.jid} .*Project 1001$`, 'm'))
    expect(await said('groups', 'show', group.jid)).toMatch(/Project 1001\n.*owner[^]*15551234601/)
    const added = await run(['groups', 'members', group.jid, '--add', '15551234602,15551230404'])
    expect(added).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/15551234602\S+ +done\n15551230404\S+ +not_on/),
    })
    expect((await json('groups', 'members', group.jid)).data.length).toBeGreaterThan(2)
    const invite = await said('groups', 'invite', group.jid)
    expect(invite).toMatch(/^https:\/\/chat\.whatsapp\.com\/\S+\n$/)
    expect(await said('groups', 'invite', group.jid, '--renew')).not.toBe(invite)
    expect(await said('groups', 'leave', group.jid)).toContain('has left')

    const channel = await json('channels', 'create', 'Shop news', '--description', 'Offers')
    expect(await said('channels', 'list')).toMatch(new RegExp(`^${channel.jid} .*owner .*Shop news$`, 'm'))
    expect(await json('channels', 'find', channel.invite)).toMatchObject({ jid: channel.jid })
    expect(await json('channels', 'post', channel.jid, '--text', 'Open')).toMatchObject({ to: channel.jid })
    expect(await said('channels', 'stats', channel.jid)).toMatch(/^posts +1 since/m)
    const followed = await run(['channels', 'follow', '120363999999999999@newsletter'])
    expect(followed).toMatchObject({ code: 1, stderr: expect.stringContaining('answered 4') })

    await say('hello')
    expect(await json('contacts', 'show', '+1 555 000 1111')).toMatchObject({ phone: '15550001111@s.whatsapp.net' })
    expect(await said('contacts', 'check', '+1 555 000 1111,15551230404')).toMatch(
      /^15550001111 +found .*\n15551230404 +not_found .*\n\d+ of \d+ checks are left/,
    )
    expect(await json('contacts', 'block', '15550001111')).toEqual({ jid: '15550001111@s.whatsapp.net', blocked: true })
    expect((await json('contacts', 'blocked')).data).toHaveLength(1)
    expect(await said('contacts', 'unblock', '15550001111')).toContain('is not blocked')

    await until(async () => (await json('chats', 'list')).synced_at)
    await say('hello again')
    await until(async () => (await said('chats', 'list')).includes('15550001111'))
    expect(await json('chats', 'archive', '15550001111')).toMatchObject({ archived: true })
    expect(await said('chats', 'archive', '15550001111', '--undo')).not.toContain('archived')
    expect(await said('chats', 'pin', '15550001111')).toContain('pinned')
    expect(await said('chats', 'mute', '15550001111')).toContain('muted')
    expect(await said('chats', 'mute', '15550001111', '--undo')).not.toContain('muted')
    expect(await json('chats', 'read', '15550001111')).toMatchObject({ unread: 0 })
    const older = ['chats', 'history', '15551234600', '--count', '5', '--before']
    expect((await run([...older, '3EB0A1B2C3D4E5F6'])).stderr).toContain('no endpoint of the number includes history')
    const { id: archive } = await json('endpoints', 'create', '--pull', '--include', 'history')
    const { id: known } = await json('send', '--to', '15551234600', '--text', 'Hello')
    expect(await json(...older, known)).toMatchObject({ state: 'done', count: 5 })
    await json('endpoints', 'delete', archive)

    expect(await said('health')).toMatch(/: good\n +restriction +none\n/)
    expect(await said('profile', '--name', 'Example Ltd', '--about', 'From 9 to 5')).toMatch(
      /name +Example Ltd\n +about +From 9 to 5\n/,
    )
    const folder = mkdtempSync(join(tmpdir(), 'postern-profile-'))
    writeFileSync(join(folder, 'x.png'), blackPng({ width: 640, height: 640 }))
    expect((await json('profile', '--picture', join(folder, 'x.png'))).picture_id).toEqual(expect.any(String))
    expect((await json('profile', '--no-picture')).picture_id).toBeNull()
    rmSync(folder, { recursive: true })
    for (const args of [
      ['groups', 'leave', '..'],
      ['groups', 'create', 'x'],
      ['groups', 'members', '1@g.us', '--add', '1', '--remove', '1'],
      ['chats', 'mute', '1', '--undo', '--until', 'x'],
      ['chats', 'history', '1'],
      ['profile', '--picture', 'x.png', '--no-picture'],
      ['profile', '--picture', join(folder, 'x.png')],
    ])
      expect((await run(args)).stderr).toMatch(
        /^postern: (?:<jid> is|--members is|--add and|give either|--before is|--picture)/,
      )
  })

  it('a program that listens loses nothing if requests are lost, and continues after its last event', async () => {
    let asked = 0
    const flaky: typeof fetch = (input, init) =>
      init?.method === 'GET' && ++asked % 3 === 0 ? Promise.reject(new TypeError('cut')) : fetch(input, init)
    const postern = new PosternClient({ baseUrl: gateway.url, apiKey: key, fetch: flaky, maxRetries: 0 })
    let listener: { id: string; cursor: string } | undefined
    const receive = async (count: number): Promise<unknown[]> => {
      const received: unknown[] = []
      const options = { keepHours: 1, onOpen: (opened: typeof listener) => (listener = opened) }
      for await (const event of postern.listen({ ...options, ...(listener && { resume: listener }) })) {
        const { kind, payload } = event
        if (kind === 'message') received.push(payload.text)
        listener = { ...listener!, cursor: event.cursor }
        if (received.length === count) break
      }
      return received
    }
    const first = receive(3)
    await until(() => listener)
    for (const words of ['one', 'two', 'three']) await say(words)
    expect(await first).toEqual(['one', 'two', 'three'])
    await say('four')
    expect(await receive(1)).toEqual(['four'])
    await postern.listeners.delete(listener!.id)
  })

  it('a program that resumes from its first position gets no event twice and none reported as missed', async () => {
    const postern = new PosternClient({ baseUrl: gateway.url, apiKey: key })
    let first: ListenerPosition | undefined
    const missed: Array<number | null> = []
    const read = async (count: number, resume?: ListenerPosition): Promise<unknown[]> => {
      const texts: unknown[] = []
      const options = { keepHours: 2, onOpen: (opened: ListenerPosition) => (first = opened) }
      const onMissed = (events: number | null) => missed.push(events)
      for await (const { kind, payload } of postern.listen({ ...options, onMissed, ...(resume && { resume }) })) {
        // The event behind a text acknowledges it.
        if (texts.length === count) break
        if (kind === 'message') texts.push(payload.text)
      }
      return texts
    }
    const reading = read(1)
    await until(() => first)
    await say('seven')
    await say('eight')
    expect(await reading).toEqual(['seven'])
    await postern.listeners.read(first!.id, { after: String(Number(first!.cursor) + 1), wait: 0, keep_hours: 2 })
    const resumed = read(1, first)
    await say('nine')
    expect(await resumed).toEqual(['eight'])
    expect(missed).toEqual([])
    await postern.listeners.delete(first!.id)
  })

  it('a program in Python listens', async () => {
    const program = `import os, sys
from postern_sdk import PosternClient
client = PosternClient(os.environ["POSTERN_URL"], os.environ["POSTERN_API_KEY"])
received = []
for event in client.listen(on_open=lambda _: print("listening", file=sys.stderr, flush=True)):
    if event["kind"] == "message":
        received.append(event["payload"]["text"])
    if len(received) == 2:
        break
print(",".join(received))`
    const listening = spawn(needProgram('python3', 'python3'), ['-W', 'error', '-c', program], {
      cwd: resolve(import.meta.dirname, '../../sdk/python'),
      env: { PATH: process.env.PATH, PYTHONDONTWRITEBYTECODE: '1', POSTERN_URL: gateway.url, POSTERN_API_KEY: key },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const received = text(listening.stdout)
    await once(listening.stderr, 'data')
    for (const words of ['five', 'six']) await say(words)
    expect(await received).toBe('five,six\n')
  })

  it('postern listen ends with the reason when its key is revoked', async () => {
    const account = /^acc_\S+/.exec((await run(['account', 'list'])).stdout)![0]
    const { key, id } = JSON.parse((await run(['keys', 'create', '--account', account, '--label', 'a'])).stdout)
    const listening = await listen('--key', key, '--url', gateway.url)
    expect((await run(['keys', 'revoke', id])).code).toBe(0)
    expect((await listening.exited).code).toBe(1)
    expect(listening.stderr()).toMatch(/postern: the gateway answered 401: .* Give a key that is not revoked/)
    expect(listening.stderr()).not.toContain(key)
  })

  it('status, sessions, logs, keys and sign-in-link work without a key or a token', async () => {
    const status = JSON.parse((await run(['status', '--json'])).stdout)
    expect(status).toMatchObject({ ready: true, account: { name: 'My account' }, sessions: [{ id: session }] })
    expect((await run(['sessions'])).stdout).toContain(session)
    expect((await run(['logs'])).stdout).toMatch(
      /message {3}msg_\S+ {2}text to 15551234567@s\.whatsapp\.net: (sent|delivered|read)/,
    )
    const [key] = JSON.parse((await run(['keys', 'list', '--json'])).stdout).data
    expect(key).toMatchObject({ label: 'first key' })
    expect((await run(['keys', 'revoke', key.id])).stdout).toBe(`${key.id} is revoked.\n`)
    const link = JSON.parse((await run(['sign-in-link', '--json'])).stdout)
    expect(link.email).toBe('owner@postern.local')
    const token = new URL(link.url).hash.slice(1)
    const headers = { origin: gateway.url, 'sec-fetch-site': 'same-origin' }
    expect((await ask(gateway.url, 'POST', '/portal/api/sign-in/link', { body: { token }, headers })).status).toBe(200)
    expectError(await ask(gateway.url, 'POST', '/portal/api/sign-in/link', { body: { token }, headers }), 401)
    expect((await run(['account', 'list'])).stdout).toMatch(/^acc_\S+ {2}max .*My account\n$/)
  })

  const EVENTS = [
    'poll_vote',
    'image',
    'location',
    'poll',
    'reaction',
    'call',
    'typing',
    'receipt',
    'newsletter_message',
  ]
  it.each(cells(EVENTS, 2))('trigger %s makes the event happen', async what => {
    const done = await run(['trigger', what])
    expect([done.code, done.stderr]).toEqual([0, ''])
    expect(done.stdout).toContain(`${what} triggered on ${session}`)
  })
})
