import type { GroupHandle } from '@postern/simulator/handles'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectError } from '../harness/client.ts'
import { expectNoDifferences } from '../harness/judged.ts'
import { pictureSize } from '../../src/platform/whatsapp/to-message/picture-size.ts'
import { blackPng } from '../harness/pictures.ts'
import { type LinkedGateway, openLinkedGateway, type SandboxNumber } from '../harness/linked-gateway.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { newPlace } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

const ANA = '5511930000001'
const BOB = '5511930000002'
const CAL = '5511930000003'
const NOT_ON_PLATFORM = '5511930000404'
const ONLY_BY_INVITE = '5511930000463'
const jidOf = (digits: string): string => `${digits}@s.whatsapp.net`

let linked: LinkedGateway
let number: SandboxNumber
/** An endpoint that includes changes of groups, and one that does not. */
let full: Receiver
let plain: Receiver

beforeAll(async () => {
  linked = await openLinkedGateway(await newPlace('sqlite'), 1)
  number = linked.numbers[0]!
  full = await startReceiver()
  plain = await startReceiver()
  for (const body of [{ url: full.url(), kinds: ['message'], include: ['group'] }, { url: plain.url() }])
    expect((await linked.ask('POST', '/v1/endpoints', body)).status).toBe(201)
})
afterAll(async () => {
  expectNoDifferences(linked.simulator)
  await linked.close()
  await full.close()
  await plain.close()
})

const groupsAt = (tail = ''): string => `/v1/sessions/${encodeURIComponent(number.id)}/groups${tail}`
const ask = (method: string, tail: string, body?: unknown, headers?: Record<string, string>) =>
  linked.ask(method, groupsAt(tail), body, headers)

/** A group of Ana in which the number is an ordinary member. */
const foreignGroup = (subject: string, members: string[] = []): GroupHandle =>
  linked.simulator.group({ subject, owner: ANA, members: [number.phone, ...members] })

/** A group that the number created, so that it is an admin. */
async function ownGroup(subject: string, members: string[] = [ANA]): Promise<GroupHandle> {
  const { status, json, text } = await ask('POST', '', { subject, members })
  expect(status, text).toBe(201)
  return linked.simulator.group(json.jid)
}

describe('Groups', () => {
  test('are listed by pages without members, and only those that the number is in', async () => {
    const mine = ['L1', 'L2', 'L3'].map(subject => foreignGroup(subject))
    const other = linked.simulator.group({ subject: 'L4', owner: ANA, members: [BOB] })
    const found: string[] = []
    let cursor: string | null = null
    do {
      const query: string = cursor === null ? '?limit=2' : `?limit=2&cursor=${cursor}`
      const { status, json, text } = await ask('GET', query)
      expect(status, text).toBe(200)
      expect(json.data.length).toBeLessThanOrEqual(2)
      for (const group of json.data) {
        found.push(group.jid)
        expect(group.members).toBeUndefined()
      }
      cursor = json.next_cursor
    } while (cursor !== null)
    expect(found).toEqual([...new Set(found)].sort())
    expect(found).toEqual(expect.arrayContaining(mine.map(({ jid }) => jid)))
    expect(found).not.toContain(other.jid)
    expectError(await ask('GET', '?cursor=bogus'), 400, /^cursor/)
  })

  test('are shown with their members, their roles and the numbers behind hidden identifiers', async () => {
    const group = foreignGroup('Choir', [BOB])
    const { status, json } = await ask('GET', `/${group.jid}`)
    expect(status).toBe(200)
    expect(json).toMatchObject({
      jid: group.jid,
      subject: 'Choir',
      description: '',
      size: 3,
      community_jid: null,
      role: 'member',
      settings: { write: 'all', edit: 'all', add: 'all', join_approval: false, disappearing_seconds: 0 },
    })
    const roles = Object.fromEntries(json.members.map(({ phone, role }: Record<string, string>) => [phone, role]))
    expect(roles).toEqual({ [jidOf(ANA)]: 'owner', [jidOf(BOB)]: 'member', [number.jid]: 'member' })
    expect(json.members.every(({ jid }: { jid: string }) => jid.endsWith('@lid'))).toBe(true)
  })

  test('that do not exist, or that the number is not in, have their own errors', async () => {
    expectError(await ask('GET', '/120363000000000009@g.us'), 404, 'group not found')
    const other = linked.simulator.group({ subject: 'Theirs', owner: ANA, members: [BOB] })
    for (const [method, tail, body] of [
      ['GET', '', undefined],
      ['PATCH', '', { subject: 'x' }],
      ['POST', '/leave', undefined],
      ['GET', '/invite', undefined],
    ] as const) {
      const answer = await ask(method, `/${other.jid}${tail}`, body)
      expectError(answer, 400, 'the number is not in the group')
      expect(answer.headers['x-error-code']).toBe('not_group_member')
    }
    expectError(await ask('GET', '/15550001111@s.whatsapp.net'), 400, /^jid must be/)
  })

  test('answer 502 while the platform refuses to answer, and change nothing', async () => {
    const group = foreignGroup('Busy')
    for (const code of [429, 503]) {
      linked.simulator.faults.receiving.refuseGroupQueries(number.phone, code)
      expectError(await ask('GET', `/${group.jid}`), 502)
      expectError(await ask('PATCH', `/${group.jid}`, { subject: 'Renamed' }), 502)
    }
    linked.simulator.faults.receiving.refuseGroupQueries(number.phone)
    expect((await ask('GET', `/${group.jid}`)).json.subject).toBe('Busy')
  })
})

describe('Changes of a group', () => {
  test('of subject, description and settings reach the platform and are in the response', async () => {
    const group = await ownGroup('First')
    const settings = {
      write: 'admins',
      edit: 'admins',
      add: 'admins',
      join_approval: true,
      disappearing_seconds: 86_400,
    }
    const { status, json, text } = await ask('PATCH', `/${group.jid}`, {
      subject: 'Second',
      description: 'About it',
      settings,
    })
    expect(status, text).toBe(200)
    expect(json).toMatchObject({ subject: 'Second', description: 'About it', settings, role: 'owner' })
    expect(group.info()).toMatchObject({
      subject: 'Second',
      description: 'About it',
      announcement: true,
      locked: true,
      ephemeralSeconds: 86_400,
    })
    const open = { write: 'all', edit: 'all', add: 'all', join_approval: false, disappearing_seconds: 0 }
    const undone = await ask('PATCH', `/${group.jid}`, { description: '', settings: open })
    expect(undone.json).toMatchObject({ subject: 'Second', description: '', settings: open })
  })

  test('by a member who is no admin answer 400 not_group_admin where only admins may', async () => {
    const group = foreignGroup('Locked', [BOB])
    expect((await ask('PATCH', `/${group.jid}`, { subject: 'Everyone may' })).status).toBe(200)
    group.lock(true)
    for (const [method, tail, body] of [
      ['PATCH', '', { subject: 'x' }],
      ['PATCH', '', { settings: { write: 'admins' } }],
      ['POST', '/members', { action: 'remove', members: [BOB] }],
      ['POST', '/members', { action: 'promote', members: [BOB] }],
      ['GET', '/invite', undefined],
      ['DELETE', '/invite', undefined],
      ['GET', '/requests', undefined],
    ] as const) {
      const answer = await ask(method, `/${group.jid}${tail}`, body)
      expectError(answer, 400, 'the number is not an admin of the group')
      expect(answer.headers['x-error-code']).toBe('not_group_admin')
    }
    expect(group.subject).toBe('Everyone may')
    expect(group.members()).toContain(BOB)
  })

  test('with unknown fields, impossible values or nothing to change are 400', async () => {
    const group = await ownGroup('Strict')
    for (const body of [
      {},
      { settings: {} },
      { subject: '' },
      { subject: 'x'.repeat(101) },
      { topic: 'x' },
      { settings: { write: 'nobody' } },
      { settings: { disappearing_seconds: 5 } },
      { settings: { mute: true } },
    ])
      expectError(await ask('PATCH', `/${group.jid}`, body), 400)
  })

  test('a number that leaves is no longer a member', async () => {
    const group = foreignGroup('Left', [BOB])
    const { status, json } = await ask('POST', `/${group.jid}/leave`)
    expect(status).toBe(200)
    expect(json).toEqual({ jid: group.jid, left: true })
    expect(group.members()).toEqual([ANA, BOB])
    expectError(await ask('GET', `/${group.jid}`), 400, 'the number is not in the group')
  })
})

describe('Members of a group', () => {
  test('are added with an outcome for each person', async () => {
    const group = await ownGroup('Added', [ANA])
    group.leave(ANA)
    const members = [BOB, `+${CAL}`, ANA, NOT_ON_PLATFORM, ONLY_BY_INVITE, number.phone]
    const { status, json, text } = await ask('POST', `/${group.jid}/members`, { action: 'add', members })
    expect(status, text).toBe(200)
    expect(json.data).toEqual([
      { jid: jidOf(BOB), outcome: 'done', code: null },
      { jid: jidOf(CAL), outcome: 'done', code: null },
      { jid: jidOf(ANA), outcome: 'left_recently', code: 408 },
      { jid: jidOf(NOT_ON_PLATFORM), outcome: 'not_on_platform', code: 404 },
      { jid: jidOf(ONLY_BY_INVITE), outcome: 'invite_needed', code: 403 },
      { jid: number.jid, outcome: 'already_member', code: 409 },
    ])
    expect(group.members()).toEqual([number.phone, BOB, CAL])
  })

  test('are promoted, demoted and removed, by number and by hidden identifier', async () => {
    const group = await ownGroup('Roles', [ANA, BOB])
    const change = async (action: string, members: string[]) =>
      (await ask('POST', `/${group.jid}/members`, { action, members })).json.data
    const rolesNow = async (): Promise<Record<string, string>> => {
      const { members } = (await ask('GET', `/${group.jid}`)).json
      return Object.fromEntries(members.map(({ phone, role }: Record<string, string>) => [phone, role]))
    }
    expect(await change('promote', [ANA, CAL])).toEqual([
      { jid: jidOf(ANA), outcome: 'done', code: null },
      { jid: jidOf(CAL), outcome: 'not_member', code: 404 },
    ])
    expect(await rolesNow()).toEqual({ [number.jid]: 'owner', [jidOf(ANA)]: 'admin', [jidOf(BOB)]: 'member' })
    const lid = linked.simulator.phone(ANA).lid
    expect(await change('demote', [lid])).toEqual([{ jid: lid, outcome: 'done', code: null }])
    expect(await change('remove', [BOB])).toEqual([{ jid: jidOf(BOB), outcome: 'done', code: null }])
    expect(await rolesNow()).toEqual({ [number.jid]: 'owner', [jidOf(ANA)]: 'member' })
  })

  test('are 1 to 100 contacts', async () => {
    const group = await ownGroup('Bounded')
    const many = Array.from({ length: 101 }, (_, index) => String(5511931000000 + index))
    for (const members of [[], many, [group.jid], ['x']])
      expectError(await ask('POST', `/${group.jid}/members`, { action: 'add', members }), 400, /^members/)
    expectError(await ask('POST', `/${group.jid}/members`, { action: 'kick', members: [ANA] }), 400, /^action/)
  })
})

describe('A group is created', () => {
  test('without the people whom the platform refuses, who are named with the reason', async () => {
    const { status, json, text } = await ask('POST', '', {
      subject: 'Created',
      members: [ANA, NOT_ON_PLATFORM, ONLY_BY_INVITE],
    })
    expect(status, text).toBe(201)
    expect(json).toMatchObject({ subject: 'Created', size: 2, role: 'owner' })
    expect(json.outcomes).toEqual([
      { jid: jidOf(ANA), outcome: 'done', code: null },
      { jid: jidOf(NOT_ON_PLATFORM), outcome: 'not_on_platform', code: 404 },
      { jid: jidOf(ONLY_BY_INVITE), outcome: 'invite_needed', code: 403 },
    ])
    expect(linked.simulator.group(json.jid).members()).toEqual([number.phone, ANA])
  })

  const named = (subject: string): number => linked.simulator.groups().filter(each => each.subject === subject).length

  test('once for each Idempotency-Key, however often the request is repeated', async () => {
    const key = { 'idempotency-key': 'once-1' }
    const body = { subject: 'Once', members: [ANA] }
    const answers = await Promise.all([ask('POST', '', body, key), ask('POST', '', body, key)])
    const again = await ask('POST', '', body, key)
    for (const { status, json } of [...answers, again]) {
      expect(status).toBe(201)
      expect(json.jid).toBe(again.json.jid)
      expect(json.outcomes).toEqual([{ jid: jidOf(ANA), outcome: 'done', code: null }])
    }
    expect(named('Once')).toBe(1)
    const other = await ask('POST', '', { ...body, subject: 'Twice' }, key)
    expectError(other, 400, 'Idempotency-Key was already used with a different request')
    expect(named('Twice')).toBe(0)
  })

  test('once, also if its answer was lost and the gateway was killed', async () => {
    const key = { 'idempotency-key': 'lost-1' }
    const body = { subject: 'Lost', members: [ANA] }
    // A community of the same name, with its announcements, is not what the request has made.
    const communities = `/v1/sessions/${encodeURIComponent(number.id)}/communities`
    const community = (await linked.ask('POST', communities, { subject: 'Lost' })).json.jid
    const before = named('Lost')
    linked.simulator.faults.receiving.loseGroupAnswers(number.phone)
    const first = ask('POST', '', body, key).catch(() => undefined)
    await until(() => named('Lost') === before + 1)
    await linked.kill()
    await first
    linked.simulator.faults.receiving.loseGroupAnswers(number.phone, false)
    await linked.start()
    await until(() => linked.allConnected())
    let answer = await ask('POST', '', body, key)
    await until(async () => {
      if (answer.status === 409) answer = await ask('POST', '', body, key)
      return answer.status !== 409
    })
    expect(answer.status, answer.text).toBe(201)
    expect(answer.json.outcomes).toEqual([{ jid: jidOf(ANA), outcome: 'done', code: null }])
    expect(answer.json).toMatchObject({ subject: 'Lost', community: null })
    expect(named('Lost')).toBe(before + 1)
    // Another key makes another group of the same name.
    expect((await ask('POST', '', body, { 'idempotency-key': 'lost-2' })).status).toBe(201)
    expect(named('Lost')).toBe(before + 2)
    expect((await linked.ask('POST', `${communities}/${community}/leave`)).status).toBe(200)
  })
})

describe('The picture of a group', () => {
  const upload = async (file: Uint8Array, type = 'image/png'): Promise<string> => {
    const { status, json, text } = await linked.ask('POST', '/v1/media', file, { 'content-type': type })
    expect(status, text).toBe(201)
    return json.id
  }

  test('is set from an uploaded file as a square JPEG, shown, and removed', async () => {
    const group = await ownGroup('Pictured')
    expectError(await ask('GET', `/${group.jid}/picture`), 404, 'the group has no picture')
    const media_id = await upload(blackPng({ width: 900, height: 500 }))
    const set = await ask('PUT', `/${group.jid}/picture`, { media_id })
    expect(set.status, set.text).toBe(200)
    expect(set.json).toEqual({ jid: group.jid, picture_id: expect.stringMatching(/^\d+$/) })
    const file = Buffer.from(group.picture()!)
    expect(pictureSize(file)).toEqual({ width: 640, height: 640 })
    const shown = { mimetype: 'image/jpeg', file_length: file.length, data: file.toString('base64') }
    for (const query of ['', '?size=preview'])
      expect((await ask('GET', `/${group.jid}/picture${query}`)).json).toEqual({ id: set.json.picture_id, ...shown })
    const removed = await ask('DELETE', `/${group.jid}/picture`)
    expect(removed.json).toEqual({ jid: group.jid, picture_id: null })
    expect(group.picture()).toBeUndefined()
  })

  test('is set by members who may change the group, and shown to members only', async () => {
    const media_id = await upload(blackPng({ width: 20, height: 20 }))
    const group = foreignGroup('Foreign picture', [BOB])
    expect((await ask('PUT', `/${group.jid}/picture`, { media_id })).status).toBe(200)
    group.lock(true)
    for (const [method, body] of [
      ['PUT', { media_id }],
      ['DELETE', undefined],
    ] as const) {
      const answer = await ask(method, `/${group.jid}/picture`, body)
      expectError(answer, 400, 'the number is not an admin of the group')
      expect(answer.headers['x-error-code']).toBe('not_group_admin')
    }
    expect(group.picture()).toBeDefined()
    const other = linked.simulator.group({ subject: 'Theirs', owner: ANA, members: [BOB] })
    for (const [method, body] of [
      ['GET', undefined],
      ['PUT', { media_id }],
    ] as const)
      expectError(await ask(method, `/${other.jid}/picture`, body), 400, 'the number is not in the group')
    expectError(await ask('GET', '/120363000000000009@g.us/picture'), 404, 'group not found')
  })

  test('is one file that can be opened as a picture', async () => {
    const group = await ownGroup('No picture')
    const media_id = await upload(blackPng({ width: 20, height: 20 }))
    const broken = await upload(Buffer.concat([blackPng({ width: 20, height: 20 }).subarray(0, 60)]))
    for (const [body, error] of [
      [{}, 'media_id or media_url is required'],
      [{ media_id, media_url: 'https://example.com/a.png' }, /^media_id does not go with media_url/],
      [{ media_id: 'med_00000000000000000000000000' }, /^media_id refers to no file/],
      [{ media_id: await upload(Buffer.from('words'), 'text/plain') }, /^media_id: the content is text\/plain/],
      [{ media_id: broken }, 'media_id: the picture cannot be opened'],
      [{ media_url: 'https://10.0.0.1/a.png' }, /^media_url/],
      [{ media_id, color: 'red' }, /^color/],
    ] as const)
      expectError(await ask('PUT', `/${group.jid}/picture`, body), 400, error)
    expect(group.picture()).toBeUndefined()
  })
})

describe('The invite of a group', () => {
  test('is shown to admins, and stops working when it is revoked', async () => {
    const group = await ownGroup('Invited')
    const first = await ask('GET', `/${group.jid}/invite`)
    expect(first.json).toEqual({
      invite: `https://chat.whatsapp.com/${group.info().inviteCode}`,
      code: group.info().inviteCode,
    })
    const second = await ask('DELETE', `/${group.jid}/invite`)
    expect(second.status).toBe(200)
    expect(second.json.code).toBe(group.info().inviteCode)
    expect(second.json.code).not.toBe(first.json.code)
    for (const invite of [first.json.invite, 'AbCdEfGhIjKlMnOpQrStUv'])
      for (const tail of ['/join', '/preview']) {
        const answer = await ask('POST', tail, { invite })
        expectError(answer, 400, 'the invite was revoked or never existed')
        expect(answer.headers['x-error-code']).toBe('invite_invalid')
      }
    expectError(await ask('POST', '/join', { invite: 'https://example.com/x' }), 400, /^invite must be/)
  })

  test('shows the group and lets the number join', async () => {
    const group = linked.simulator.group({ subject: 'Open', owner: ANA, members: [BOB] })
    const invite = `https://chat.whatsapp.com/${group.info().inviteCode}`
    const preview = await ask('POST', '/preview', { invite })
    expect(preview.json).toMatchObject({ jid: group.jid, subject: 'Open', size: 2 })
    expect(group.members()).not.toContain(number.phone)
    const joined = { jid: group.jid, status: 'joined' }
    expect((await ask('POST', '/join', { invite })).json).toEqual(joined)
    expect(group.members()).toContain(number.phone)
    expect((await ask('POST', '/join', { invite: group.info().inviteCode })).json).toEqual(joined)
  })

  test('with join_approval makes people wait until an admin approves or rejects them', async () => {
    const group = await ownGroup('Closed')
    await ask('PATCH', `/${group.jid}`, { settings: { join_approval: true } })
    for (const person of [BOB, CAL]) group.join(person)
    const waiting = await ask('GET', `/${group.jid}/requests?limit=1`)
    expect(waiting.json.data).toHaveLength(1)
    const more = await ask('GET', `/${group.jid}/requests?limit=1&cursor=${waiting.json.next_cursor}`)
    expect(more.json.next_cursor).toBeNull()
    const phones = [...waiting.json.data, ...more.json.data].map(({ phone }) => phone)
    expect(new Set(phones)).toEqual(new Set([jidOf(BOB), jidOf(CAL)]))
    const approve = { action: 'approve', members: [BOB, ANA] }
    expect((await ask('POST', `/${group.jid}/requests`, approve)).json.data).toEqual([
      { jid: jidOf(BOB), outcome: 'done', code: null },
      { jid: jidOf(ANA), outcome: 'not_member', code: 404 },
    ])
    await ask('POST', `/${group.jid}/requests`, { action: 'reject', members: [CAL] })
    expect(group.requests()).toEqual([])
    expect(group.members()).toEqual([number.phone, ANA, BOB])
  })

  test('of a group with join_approval leaves the number waiting', async () => {
    const group = linked.simulator.group({ subject: 'Pending', owner: ANA, members: [BOB] })
    group.approve(true)
    const answer = await ask('POST', '/join', { invite: group.info().inviteCode })
    expect(answer.json).toEqual({ jid: group.jid, status: 'pending' })
    expect(group.requests()).toEqual([number.phone])
    expect(group.members()).not.toContain(number.phone)
  })
})

interface GroupChange {
  kind: string
  action: string
  group_jid: string
  linked_jid?: string
  [field: string]: unknown
}

const changesOf = ({ ledger }: Receiver, jid: string): GroupChange[] =>
  ledger
    .map(({ body }) => JSON.parse(body.toString()) as GroupChange)
    .filter(({ kind, group_jid }) => kind === 'group' && group_jid === jid)

describe('Events of kind group', () => {
  const changeOf = async (jid: string, action: string): Promise<GroupChange> => {
    await full.until(() => changesOf(full, jid).some(each => each.action === action))
    return changesOf(full, jid).find(each => each.action === action)!
  }

  test('reach endpoints that include group, with action, actor_jid and members', async () => {
    const group = foreignGroup('Changed')
    const ana = linked.simulator.phone(ANA)
    const bob = linked.simulator.phone(BOB)
    const byAna = { session_id: number.jid, actor_jid: ana.lid, actor_phone: ana.jid }
    expect(await changeOf(group.jid, 'create')).toMatchObject({ ...byAna, subject: 'Changed' })
    group.change('add', [BOB])
    const aboutBob = { members: [{ jid: bob.lid, phone: bob.jid }], timestamp_unix: expect.any(Number) }
    expect(await changeOf(group.jid, 'add')).toEqual({
      kind: 'group',
      group_jid: group.jid,
      action: 'add',
      ...byAna,
      ...aboutBob,
    })
    group.change('promote', [BOB])
    expect(await changeOf(group.jid, 'promote')).toMatchObject({ ...byAna, ...aboutBob })
    group.change('demote', [BOB])
    expect(await changeOf(group.jid, 'demote')).toMatchObject({ ...byAna, ...aboutBob })
    group.change('remove', [BOB])
    expect(await changeOf(group.jid, 'remove')).toMatchObject({ ...byAna, ...aboutBob })
    group.join(BOB)
    expect(await changeOf(group.jid, 'join')).toMatchObject({ actor_jid: bob.lid, ...aboutBob })
    group.leave(BOB)
    expect(await changeOf(group.jid, 'leave')).toMatchObject({ actor_jid: bob.lid, ...aboutBob })
    group.lock(true)
    expect(await changeOf(group.jid, 'settings')).toMatchObject({ ...byAna, members: [], settings: { edit: 'admins' } })
    group.delete()
    expect(await changeOf(group.jid, 'delete')).toMatchObject({ ...byAna, members: [] })
  })

  test('are published for changes that the number makes through the API', async () => {
    const group = await ownGroup('Mine')
    await ask('PATCH', `/${group.jid}`, {
      subject: 'Ours',
      description: 'Of us all',
      settings: { write: 'admins', add: 'admins', join_approval: true, disappearing_seconds: 604_800 },
    })
    await ask('DELETE', `/${group.jid}/invite`)
    group.changePicture(Buffer.from('a picture'))
    group.join(CAL)
    const own = { actor_phone: number.jid, members: [] }
    expect(await changeOf(group.jid, 'subject')).toMatchObject({ ...own, subject: 'Ours' })
    expect(await changeOf(group.jid, 'description')).toMatchObject({ ...own, description: 'Of us all' })
    expect(await changeOf(group.jid, 'invite')).toMatchObject(own)
    expect(await changeOf(group.jid, 'picture')).toMatchObject(own)
    const cal = linked.simulator.phone(CAL)
    expect(await changeOf(group.jid, 'request')).toMatchObject({ members: [{ jid: cal.lid, phone: cal.jid }] })
    const settings = changesOf(full, group.jid).flatMap(each => (each.action === 'settings' ? [each.settings] : []))
    expect(settings).toEqual([
      { write: 'admins' },
      { add: 'admins' },
      { join_approval: true },
      { disappearing_seconds: 604_800 },
    ])
  })

  test('reach no other endpoint and no webhook, and leave no words in the history', async () => {
    const group = foreignGroup('Secret Subject')
    await changeOf(group.jid, 'create')
    const { id } = await linked.simulator.phone(ANA).sendTo(group.jid, { type: 'text', text: 'later' })
    for (const receiver of [linked.receiver, plain]) {
      await receiver.until(ledger => ledger.some(({ body }) => body.includes(id)))
      expect(changesOf(receiver, group.jid)).toEqual([])
    }
    const history = JSON.stringify((await linked.ask('GET', '/v1/deliveries?limit=100')).json)
    expect(history).toContain(group.jid)
    expect(history).not.toContain('Secret Subject')
  })
})

describe('A community', () => {
  const inCommunities = (method: string, tail = '', body?: unknown, headers?: Record<string, string>) =>
    linked.ask(method, `/v1/sessions/${encodeURIComponent(number.id)}/communities${tail}`, body, headers)
  const changesIn = (jid: string, action: string) => changesOf(full, jid).filter(each => each.action === action)

  /** A community that the number created, so that it is an admin. */
  async function ownCommunity(subject: string) {
    const { status, json, text } = await inCommunities('POST', '', { subject, description: 'Of our street' })
    expect(status, text).toBe(201)
    return json
  }

  /** A community of Ana with a group that the number is in. */
  function foreignCommunity(subject: string): { community: GroupHandle; group: GroupHandle } {
    const community = linked.simulator.community({ subject, owner: ANA })
    const group = foreignGroup(`${subject} friends`)
    community.link(group.jid)
    return { community, group }
  }

  test('is created once for each Idempotency-Key, with its group for announcements', async () => {
    const body = { subject: 'Neighbours', description: 'All of our street' }
    const first = await inCommunities('POST', '', body, { 'idempotency-key': 'neighbours' })
    expect(first.status, first.text).toBe(201)
    const { jid, announcements_jid: announcements } = first.json
    expect(first.json).toMatchObject({
      subject: 'Neighbours',
      description: 'All of our street',
      role: 'owner',
      community_jid: null,
      community: { jid, place: 'itself' },
    })
    const again = await inCommunities('POST', '', body, { 'idempotency-key': 'neighbours' })
    expect(again.json.jid).toBe(jid)
    expect((await inCommunities('GET')).json.data.map((each: { jid: string }) => each.jid)).toEqual([jid])
    expect((await ask('GET', `/${announcements}`)).json).toMatchObject({
      community_jid: jid,
      community: { jid, place: 'announcements' },
      settings: { write: 'admins' },
    })
    expectError(await inCommunities('POST', '', { subject: '' }), 400, /^subject/)
    expectError(await inCommunities('POST', '', { subject: 'x', members: [] }), 400, /members/)
  })

  test('has groups that are created in it, linked and unlinked, with events for both sides', async () => {
    const { jid } = await ownCommunity('Garden')
    const inside = await ask('POST', '', { subject: 'Tools', members: [ANA], community_jid: jid })
    expect(inside.status, inside.text).toBe(201)
    expect(inside.json).toMatchObject({ community_jid: jid, community: { jid, place: 'group' } })
    const group = await ownGroup('Flowers', [BOB])
    const path = `/${jid}/groups/${group.jid}`
    const answer = await inCommunities('PUT', path)
    expect(answer.status, answer.text).toBe(200)
    expect(answer.json).toEqual({ jid: group.jid, community_jid: jid, linked: true })
    expect((await inCommunities('PUT', path)).json).toEqual(answer.json)
    expect(group.community().parent).toBe(jid)
    // People of a linked group are in the community, too.
    expect(linked.simulator.group(jid).members()).toEqual(expect.arrayContaining([ANA, BOB]))
    const { data } = (await inCommunities('GET', `/${jid}/groups`)).json
    expect(data.map((each: { subject: string }) => each.subject).sort()).toEqual(['Flowers', 'Garden', 'Tools'])
    expect(data.filter((each: { announcements: boolean }) => each.announcements)).toHaveLength(1)
    const page = (await inCommunities('GET', `/${jid}/groups?limit=2`)).json
    expect(page.data).toHaveLength(2)
    const rest = (await inCommunities('GET', `/${jid}/groups?limit=2&cursor=${page.next_cursor}`)).json
    expect([...page.data, ...rest.data]).toEqual(data)
    expect((await inCommunities('DELETE', path)).json).toEqual({ jid: group.jid, community_jid: jid, linked: false })
    expect((await ask('GET', `/${group.jid}`)).json.community).toBeNull()
    await full.until(() => changesIn(group.jid, 'unlinked').length > 0 && changesIn(jid, 'unlinked').length > 0)
    for (const action of ['linked', 'unlinked']) {
      expect(changesIn(group.jid, action)).toMatchObject([{ linked_jid: jid, actor_phone: number.jid, members: [] }])
      expect(changesIn(jid, action).map(each => each.linked_jid)).toContain(group.jid)
    }
  })

  test('is changed by its admins alone, and what cannot be linked is 400 or 404', async () => {
    const { community, group: theirs } = foreignCommunity('Choirs')
    const mine = await ownGroup('Basses')
    const own = (await ownCommunity('Bands')).jid
    for (const [method, path] of [
      ['PUT', `/${community.jid}/groups/${mine.jid}`],
      ['DELETE', `/${community.jid}/groups/${theirs.jid}`],
      ['PUT', `/${own}/groups/${theirs.jid}`],
    ] as const) {
      const answer = await inCommunities(method, path)
      expectError(answer, 400, /not an admin/)
      expect(answer.headers['x-error-code']).toBe('not_group_admin')
    }
    const created = await ask('POST', '', { subject: 'x', members: [ANA], community_jid: community.jid })
    expectError(created, 400, 'the number is not an admin of the community')
    const elsewhere = (await ownCommunity('Others')).jid
    expect((await inCommunities('PUT', `/${own}/groups/${mine.jid}`)).status).toBe(200)
    expectError(await inCommunities('PUT', `/${elsewhere}/groups/${mine.jid}`), 400, /belongs to another community/)
    expectError(await inCommunities('PUT', `/${own}/groups/${elsewhere}`), 400, /cannot be linked/)
    expectError(await inCommunities('DELETE', `/${elsewhere}/groups/${mine.jid}`), 404, /has no such group/)
    expectError(await inCommunities('PUT', `/${own}/groups/120363000000000009@g.us`), 404, 'group not found')
    expectError(await inCommunities('GET', `/${mine.jid}/groups`), 400, 'jid is a group, and no community')
    expectError(await inCommunities('PUT', `/${own}/groups/15550001111@s.whatsapp.net`), 400, /^group must be/)
    const strange = linked.simulator.community({ subject: 'Strange', owner: ANA })
    expectError(await inCommunities('GET', `/${strange.jid}/groups`), 400, 'the number is not in the group')
  })

  test('takes no messages, and is left with all its groups', async () => {
    const { community, group } = foreignCommunity('Runners')
    const sent = await linked.ask('POST', '/v1/messages', { session_id: number.id, to: community.jid, text: 'all' })
    expect(sent.status, sent.text).toBe(202)
    const record = async () => (await linked.ask('GET', `/v1/messages/${sent.json.message_id}`)).json
    await until(async () => (await record()).state === 'failed')
    expect(await record()).toMatchObject({ reason: 'SEND_FAILED', detail: expect.stringMatching(/community/) })
    const left = await inCommunities('POST', `/${community.jid}/leave`)
    expect(left.json).toEqual({ jid: community.jid, left: true })
    expect(community.members()).not.toContain(number.phone)
    expect(group.members()).not.toContain(number.phone)
    expectError(await inCommunities('POST', `/${community.jid}/leave`), 400, 'the number is not in the group')
  })
})
