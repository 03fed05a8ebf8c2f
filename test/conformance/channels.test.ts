import type { ChannelHandle } from '@postern/simulator/handles'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pictureSize } from '../../src/platform/whatsapp/to-message/picture-size.ts'
import { expectError } from '../harness/client.ts'
import { expectNoDifferences } from '../harness/judged.ts'
import { type LinkedGateway, openLinkedGateway, type SandboxNumber } from '../harness/linked-gateway.ts'
import { blackPng } from '../harness/pictures.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { newPlace, type Place, queryPlace } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

const ANA = '5511950000001'
const BOB = '5511950000002'
const CAL = '5511950000003'
const UNKNOWN = '120363000000000009@newsletter'

let place: Place
let linked: LinkedGateway
let number: SandboxNumber
/** An endpoint that includes changes of channels, and one that does not. */
let full: Receiver
let plain: Receiver

beforeAll(async () => {
  place = await newPlace('sqlite')
  linked = await openLinkedGateway(place, 1)
  number = linked.numbers[0]!
  full = await startReceiver()
  plain = await startReceiver()
  for (const body of [{ url: full.url(), kinds: ['message'], include: ['newsletter'] }, { url: plain.url() }])
    expect((await linked.ask('POST', '/v1/endpoints', body)).status).toBe(201)
})
afterAll(async () => {
  expectNoDifferences(linked.simulator)
  await linked.close()
  await full.close()
  await plain.close()
})

const ask = (method: string, tail: string, body?: unknown, headers?: Record<string, string>) =>
  linked.ask(method, `/v1/sessions/${encodeURIComponent(number.id)}/newsletters${tail}`, body, headers)

/** A channel of Ana. */
const foreign = (name: string, followers: string[] = []): ChannelHandle =>
  linked.simulator.channel({ name, owner: ANA, followers })

/** A channel that the number owns. */
async function own(name: string): Promise<ChannelHandle> {
  const { status, json, text } = await ask('POST', '', { name })
  expect(status, text).toBe(201)
  return linked.simulator.channel(json.jid)
}

describe('Channels', () => {
  test('are listed by pages, those that the number follows and those that it manages', async () => {
    const followed = [foreign('Followed 1', [number.phone]), foreign('Followed 2', [number.phone])]
    const mine = await own('Mine')
    const other = foreign('Other')
    const found: Array<{ jid: string; role: string }> = []
    let cursor: string | null = null
    do {
      const query: string = cursor === null ? '?limit=2' : `?limit=2&cursor=${cursor}`
      const { status, json, text } = await ask('GET', query)
      expect(status, text).toBe(200)
      expect(json.data.length).toBeLessThanOrEqual(2)
      found.push(...json.data)
      cursor = json.next_cursor
    } while (cursor !== null)
    const roles = Object.fromEntries(found.map(({ jid, role }) => [jid, role]))
    expect(roles).toMatchObject({ [mine.jid]: 'owner', [followed[0]!.jid]: 'follower', [followed[1]!.jid]: 'follower' })
    expect(roles[other.jid]).toBeUndefined()
    expect(found.map(({ jid }) => jid)).toEqual(Object.keys(roles).sort())
  })

  test('are shown, and found by their link, also to numbers that do not follow them', async () => {
    const channel = foreign('News', [BOB])
    const { invite } = channel.info()
    const link = `https://whatsapp.com/channel/${invite}`
    const shown = await ask('GET', `/${channel.jid}`)
    expect(shown.json).toEqual({
      jid: channel.jid,
      name: 'News',
      description: '',
      invite: link,
      role: 'guest',
      followers: 1,
      muted: false,
      verified: false,
      state: 'active',
      reactions: 'all',
      picture_id: null,
      created_at: expect.stringMatching(/Z$/),
    })
    for (const given of [link, invite])
      expect((await ask('POST', '/preview', { invite: given })).json).toEqual(shown.json)
    const unknown = await ask('POST', '/preview', { invite: 'AbCdEfGhIjKlMnOpQrStUv' })
    expectError(unknown, 400, 'the link leads to no channel')
    expect(unknown.headers['x-error-code']).toBe('invite_invalid')
    expectError(await ask('POST', '/preview', { invite: 'https://example.com/x' }), 400, /^invite must be/)
    expectError(await ask('GET', `/${UNKNOWN}`), 404, 'channel not found')
    expectError(await ask('GET', '/120363000000000009@g.us'), 400, /^nl must be/)
  })

  test('are followed and left, which the API reports of the own channels as refused', async () => {
    const channel = foreign('To follow')
    expect((await ask('PUT', `/${channel.jid}/follow`)).json).toEqual({ jid: channel.jid, following: true })
    expect(channel.followers()).toEqual([number.phone])
    expect((await ask('GET', `/${channel.jid}`)).json.role).toBe('follower')
    expect((await ask('DELETE', `/${channel.jid}/follow`)).json).toEqual({ jid: channel.jid, following: false })
    expect(channel.followers()).toEqual([])
    const mine = await own('Not to follow')
    expectError(await ask('PUT', `/${mine.jid}/follow`), 400, 'the platform refused the request (400)')
    expectError(await ask('PUT', `/${UNKNOWN}/follow`), 404)
  })

  test('are muted by those who follow them', async () => {
    const channel = foreign('Loud', [number.phone])
    expect((await ask('PUT', `/${channel.jid}/mute`)).json).toEqual({ jid: channel.jid, muted: true })
    expect(channel.muted()).toEqual([number.phone])
    expect((await ask('GET', `/${channel.jid}`)).json.muted).toBe(true)
    expect((await ask('DELETE', `/${channel.jid}/mute`)).json).toEqual({ jid: channel.jid, muted: false })
    expect(channel.muted()).toEqual([])
    expectError(await ask('PUT', `/${foreign('Silent').jid}/mute`), 400)
  })

  test('answer 502 while the platform asks for fewer queries', async () => {
    const channel = foreign('Busy')
    linked.simulator.faults.receiving.refuseQueries(number.phone, 'w:mex', 429)
    for (const tail of ['', `/${channel.jid}`]) expectError(await ask('GET', tail), 502)
    expectError(await ask('PUT', `/${channel.jid}/follow`), 502)
    linked.simulator.faults.receiving.refuseQueries(number.phone, 'w:mex')
    expect((await ask('GET', `/${channel.jid}`)).json.role).toBe('guest')
  })

  test('are read by the older queries once the platform has retired the newer ones', async () => {
    const channel = foreign('Old', [number.phone])
    linked.simulator.faults.retireQueries('25399611239711790', '27456920720571478', '25149874324715067')
    expect((await ask('GET', `/${channel.jid}`)).json).toMatchObject({ name: 'Old', role: 'follower', muted: false })
    expect((await ask('GET', '?limit=100')).json.data).toContainEqual(expect.objectContaining({ jid: channel.jid }))
    await own('By the older query')
    linked.simulator.faults.retireQueries()
  })
})

describe('A channel of the number', () => {
  const named = (name: string): number => linked.simulator.channels().filter(each => each.name === name).length

  test('is created once for each Idempotency-Key, also if the gateway was killed before the answer', async () => {
    const key = { 'idempotency-key': 'channel-1' }
    const body = { name: 'Once', description: 'Only one' }
    const first = ask('POST', '', body, key).catch(() => undefined)
    await until(() => named('Once') === 1)
    await linked.kill()
    await first
    await linked.start()
    await until(() => linked.allConnected())
    let answer = await ask('POST', '', body, key)
    await until(async () => {
      if (answer.status === 409) answer = await ask('POST', '', body, key)
      return answer.status !== 409
    })
    expect(answer.status, answer.text).toBe(201)
    expect(answer.json).toMatchObject({ ...body, role: 'owner', state: 'active' })
    expect(named('Once')).toBe(1)
    expectError(await ask('POST', '', { name: 'Another' }, key), 400, /^Idempotency-Key was already used/)
    expectError(await ask('POST', '', { name: 'x'.repeat(101) }), 400, /^name/)
  })

  test('is changed: name, description, which reactions are allowed', async () => {
    const channel = await own('Before')
    const change = { name: 'After', description: 'New words', reactions: 'basic' }
    const { status, json, text } = await ask('PATCH', `/${channel.jid}`, change)
    expect(status, text).toBe(200)
    expect(json).toMatchObject(change)
    expect(channel.info()).toMatchObject({ name: 'After', description: 'New words', reactionMode: 'BASIC' })
    expect((await ask('PATCH', `/${channel.jid}`, { reactions: 'none' })).json).toMatchObject({ name: 'After' })
    for (const body of [{}, { name: '' }, { reactions: 'some' }, { topic: 'x' }])
      expectError(await ask('PATCH', `/${channel.jid}`, body), 400)
  })

  test('gets a picture from any picture, and loses it', async () => {
    const channel = await own('Pictured')
    const file = blackPng({ width: 300, height: 200 })
    const { json: media } = await linked.ask('POST', '/v1/media', file, { 'content-type': 'image/png' })
    const set = await ask('PUT', `/${channel.jid}/picture`, { media_id: media.id })
    expect(set.status, set.text).toBe(200)
    expect(set.json).toEqual({ jid: channel.jid, picture_id: expect.stringMatching(/^\d+$/) })
    expect(pictureSize(channel.picture()!)).toEqual({ width: 640, height: 640 })
    expect((await ask('GET', `/${channel.jid}`)).json.picture_id).toBe(set.json.picture_id)
    expect((await ask('DELETE', `/${channel.jid}/picture`)).json).toEqual({ jid: channel.jid, picture_id: null })
    expect(channel.picture()).toBeUndefined()
    expectError(await ask('PUT', `/${channel.jid}/picture`, {}), 400, 'media_id or media_url is required')
  })

  test('shows its followers and admins, who are made followers again', async () => {
    const channel = linked.simulator.channel({
      name: 'Team',
      owner: number.phone,
      admins: [BOB],
      followers: [ANA, CAL],
    })
    const { json } = await ask('GET', `/${channel.jid}/followers`)
    const roles = Object.fromEntries(json.data.map(({ phone, role }: Record<string, string>) => [phone, role]))
    const jid = (digits: string): string => `${digits}@s.whatsapp.net`
    expect(roles).toEqual({
      [number.jid]: 'owner',
      [jid(BOB)]: 'admin',
      [jid(ANA)]: 'follower',
      [jid(CAL)]: 'follower',
    })
    expect((await ask('GET', `/${channel.jid}/followers?limit=2`)).json.data).toHaveLength(2)
    const demoted = await ask('DELETE', `/${channel.jid}/admins/${BOB}`)
    expect(demoted.json).toEqual({ jid: jid(BOB), admin: false })
    expect(channel.admins()).toEqual([])
    expectError(await ask('DELETE', `/${channel.jid}/admins/${BOB}`), 400)
  })

  test('has admins by invitation, which is shown and revoked', async () => {
    const channel = await own('Admins')
    const jid = (digits: string): string => `${digits}@s.whatsapp.net`
    const roles = async () => {
      const { json } = await ask('GET', `/${channel.jid}/admins`)
      return Object.fromEntries(json.data.map(({ phone, role }: Record<string, string>) => [phone, role]))
    }
    const invited = await ask('PUT', `/${channel.jid}/admins/${BOB}`, { caption: 'Please help' })
    expect(invited.status, invited.text).toBe(200)
    expect(invited.json).toEqual({ jid: jid(BOB), invited: true, expires_at: expect.stringMatching(/Z$/) })
    const bob = linked.simulator.phone(BOB)
    const invitation = () => bob.inbox().flatMap(({ message }) => message.newsletterAdminInviteMessage ?? [])[0]
    await until(() => invitation())
    expect(invitation()).toMatchObject({ newsletterJid: channel.jid, newsletterName: 'Admins', caption: 'Please help' })
    expect(await roles()).toEqual({ [number.jid]: 'owner', [jid(BOB)]: 'invited' })
    const revoked = await ask('DELETE', `/${channel.jid}/admins/${BOB}/invite`)
    expect(revoked.json).toEqual({ jid: jid(BOB), invited: false })
    expect(channel.invited()).toEqual([])
    expectError(await ask('DELETE', `/${channel.jid}/admins/${BOB}/invite`), 404)
    expectError(await ask('PUT', `/${channel.jid}/admins/${BOB}`, { caption: 'x', role: 'owner' }), 400, /role/)
    expectError(await ask('PUT', `/${channel.jid}/admins/${number.phone}`, {}), 400)
  })

  test('are offered to admins by messages that count, and not while the number may not write to new contacts', async () => {
    const channel = await own('Charged')
    const charged = async () => {
      const counts =
        "select n from usage_deltas where metric = 'accepted' union all select n from usage_days where metric = 'accepted'"
      const [row] = await queryPlace<{ n: number }>(place, `select coalesce(sum(n), 0) as n from (${counts}) counts`)
      return Number(row!.n)
    }
    const before = await charged()
    expect((await ask('PUT', `/${channel.jid}/admins/${BOB}`, {})).status).toBe(200)
    expect(await charged()).toBe(before + 1)
    const restrict = (until: number | null) =>
      queryPlace(place, `update sessions set restricted_until = ${until} returning id`)
    expect(await restrict(Date.now() + 600_000)).not.toEqual([])
    const refused = await ask('PUT', `/${channel.jid}/admins/${CAL}`, {})
    expectError(refused, 429)
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(500)
    await restrict(null)
    expect(await charged()).toBe(before + 1)
    expect(channel.invited()).toHaveLength(1)
  })

  test('that the number is invited to manage is managed by it once it accepts', async () => {
    const channel = linked.simulator.channel({ name: 'Theirs', owner: ANA, followers: [number.phone] })
    const early = await ask('POST', `/${channel.jid}/accept`)
    expectError(early, 400, 'the number has no open invitation to manage the channel')
    expect(early.headers['x-error-code']).toBe('invite_invalid')
    await linked.simulator.phone(ANA).sendTo(number.phone, channel.invite(number.phone))
    const accepted = await ask('POST', `/${channel.jid}/accept`)
    expect(accepted.status, accepted.text).toBe(200)
    expect(accepted.json).toMatchObject({ jid: channel.jid, role: 'admin' })
    expect(channel.admins()).toEqual([number.phone])
    expect((await ask('PATCH', `/${channel.jid}`, { name: 'Ours' })).json.name).toBe('Ours')
    // Only the owner has to do with other admins.
    expectError(await ask('PUT', `/${channel.jid}/admins/${BOB}`, {}), 400, 'the number does not manage the channel')
  })

  test('is deleted by its owner only, and what only those may who manage it is 400 not_channel_admin', async () => {
    const mine = await own('To delete')
    expect((await ask('DELETE', `/${mine.jid}`)).json).toEqual({ jid: mine.jid, deleted: true })
    expect(mine.info().state).toBe('DELETED')
    expectError(await ask('GET', `/${mine.jid}`), 404, 'channel not found')
    const channel = foreign('Foreign', [number.phone])
    for (const [method, tail, body] of [
      ['PATCH', '', { name: 'x' }],
      ['DELETE', '', undefined],
      ['DELETE', '/picture', undefined],
      ['GET', '/followers', undefined],
      ['DELETE', `/admins/${BOB}`, undefined],
    ] as const) {
      const answer = await ask(method, `/${channel.jid}${tail}`, body)
      expectError(answer, 400, 'the number does not manage the channel')
      expect(answer.headers['x-error-code']).toBe('not_channel_admin')
    }
    expect(channel.info()).toMatchObject({ name: 'Foreign', state: 'ACTIVE' })
  })
})

describe('Posts of a channel', () => {
  test('are listed newest first by pages, with what people did with them, and summed up', async () => {
    const channel = foreign('Posts')
    const posts = []
    for (const text of ['one', 'two', 'three']) posts.push(await channel.post({ type: 'text', text }))
    channel.see(posts[2]!.serverId, 12, { [BOB]: '👍', [CAL]: '👍' })
    channel.see(posts[0]!.serverId, 30, { [BOB]: '🎉' })
    const first = await ask('GET', `/${channel.jid}/posts?limit=2`)
    expect(first.status, first.text).toBe(200)
    expect(first.json.data).toEqual([
      {
        server_id: posts[2]!.serverId,
        message_id: posts[2]!.id,
        type: 'text',
        text: 'three',
        posted_at: expect.stringMatching(/Z$/),
        views: 12,
        forwards: 0,
        reactions: [{ emoji: '👍', count: 2 }],
      },
      expect.objectContaining({ server_id: posts[1]!.serverId, views: 0, reactions: [] }),
    ])
    const rest = await ask('GET', `/${channel.jid}/posts?limit=2&cursor=${first.json.next_cursor}`)
    expect(rest.json).toMatchObject({ data: [{ server_id: posts[0]!.serverId, text: 'one' }], next_cursor: null })
    const sums = { followers: 0, posts: 3, views: 42, forwards: 0, reactions: 3 }
    expect((await ask('GET', `/${channel.jid}/stats`)).json).toEqual({
      ...sums,
      admins: null,
      since: expect.stringMatching(/Z$/),
    })
    const mine = await own('Empty')
    expect((await ask('GET', `/${mine.jid}/stats`)).json).toMatchObject({ admins: 1, posts: 0, since: null })
    expectError(await ask('GET', `/${UNKNOWN}/posts`), 404, 'channel not found')
  })
})

interface Change {
  kind: string
  action: string
  newsletter_jid: string
  [field: string]: unknown
}

const changesOf = ({ ledger }: Receiver, jid: string): Change[] =>
  ledger
    .map(({ body }) => JSON.parse(body.toString()) as Change)
    .filter(({ kind, newsletter_jid }) => kind === 'newsletter' && newsletter_jid === jid)

describe('Events of kind newsletter', () => {
  const changeOf = async (jid: string, action: string): Promise<Change> => {
    await full.until(() => changesOf(full, jid).some(each => each.action === action))
    return changesOf(full, jid).find(each => each.action === action)!
  }

  test('reach endpoints that include them, and no others, and leave no words in the history', async () => {
    const channel = await own('Secret Name')
    await ask('PATCH', `/${channel.jid}`, { description: 'Secret Words', reactions: 'none' })
    const updated = await changeOf(channel.jid, 'update')
    expect(updated).toEqual({
      kind: 'newsletter',
      session_id: number.jid,
      newsletter_jid: channel.jid,
      action: 'update',
      name: 'Secret Name',
      description: 'Secret Words',
      reactions: 'none',
      picture_id: '',
      timestamp_unix: expect.any(Number),
    })
    const other = foreign('Other')
    await ask('PUT', `/${other.jid}/follow`)
    expect(await changeOf(other.jid, 'follow')).toMatchObject({ name: 'Other' })
    other.suspend(true)
    expect(await changeOf(other.jid, 'state')).toMatchObject({ state: 'suspended' })
    await ask('DELETE', `/${other.jid}/follow`)
    await changeOf(other.jid, 'unfollow')
    await ask('DELETE', `/${channel.jid}`)
    expect(await changeOf(channel.jid, 'state')).toMatchObject({ state: 'deleted' })
    const { id } = await linked.simulator.phone(ANA).sendTo(number.phone, { type: 'text', text: 'later' })
    for (const receiver of [linked.receiver, plain]) {
      await receiver.until(ledger => ledger.some(({ body }) => body.includes(id)))
      expect(receiver.ledger.some(({ body }) => body.includes('"newsletter"'))).toBe(false)
    }
    const history = JSON.stringify((await linked.ask('GET', '/v1/deliveries?limit=100')).json)
    expect(history).toContain(channel.jid)
    expect(history).not.toContain('Secret')
  })
})
