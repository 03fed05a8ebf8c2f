import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BOUNDS } from '../../src/domain/bounds.ts'
import { MEDIA_PIECE_BYTES } from '../../src/domain/media.ts'
import { dropExpiredMedia } from '../../src/maintenance/media-retention.ts'
import { expectError } from '../harness/client.ts'
import { startTestGateway, type TestAccount, type TestGateway } from '../harness/gateway.ts'
import { blackPng } from '../harness/pictures.ts'
import { queryPlace, STORES } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

const ADA = '15551234567'
const DAY_MS = 86_400_000
const NOT_KEPT = 'media_id refers to no file that is kept; upload it again'

describe.each(STORES)('A stored file, on %s', kind => {
  let gateway: TestGateway
  let account: TestAccount
  let number: string

  beforeAll(async () => {
    gateway = await startTestGateway(kind, { POSTERN_ROLES: 'api,worker,dispatcher,simulator' })
    account = await gateway.account()
    number = (await account.ask('POST', '/v1/sessions', { platform: 'sandbox' })).json.id
  })
  afterAll(() => gateway.stop())

  interface Shown {
    id: string
    mime_type: string
    size: number
    filename: string | null
    created_at: string
    expires_at: string
  }
  const upload = async (file: Buffer | string, type?: string, query = ''): Promise<Shown> => {
    const answer = await account.ask(
      'POST',
      `/v1/media${query}`,
      file,
      type === undefined ? {} : { 'content-type': type },
    )
    expect(answer.status, answer.text).toBe(201)
    return answer.json
  }
  const get = async (id: string, headers: Record<string, string> = {}, key = account.key) => {
    const response = await fetch(`${gateway.url}/v1/media/${id}`, {
      headers: { authorization: `Bearer ${key}`, ...headers },
    })
    return { status: response.status, headers: response.headers, body: Buffer.from(await response.arrayBuffer()) }
  }
  const send = (body: object, key?: string) =>
    account.ask(
      'POST',
      '/v1/messages',
      { session_id: number, to: ADA, ...body },
      key === undefined ? {} : { 'idempotency-key': key },
    )
  const endOf = (id: string) =>
    until(async () => {
      const { json } = await account.ask('GET', `/v1/messages/${id}`)
      return ['delivered', 'read', 'failed'].includes(json.state) && json
    })
  const onThePhone = async () => {
    const path = `/sandbox/sessions/${encodeURIComponent(number)}/messages?contact=${ADA}&include_media=true`
    return (await account.ask('GET', path)).json.data as Array<{ type: string; media?: Record<string, unknown> }>
  }
  /** The response to an upload of this size, of which nothing is sent: its connection cannot be used again. */
  const announce = (bytes: number): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${account.key}`, 'content-length': bytes }
      const asked = request(`${gateway.url}/v1/media`, { method: 'POST', headers, agent: false })
      asked.on('error', reject).on('response', response => {
        json(response)
          .then(resolve, reject)
          .finally(() => asked.destroy())
      })
      asked.flushHeaders()
    })
  const letExpire = (id: string) =>
    queryPlace(gateway.place, `update media set expires_at = 1 where id = '${id}' returning id`)
  const usage = async () => {
    const sql = `select files, bytes from media_usage where account_id = '${account.id}'`
    const [row] = await queryPlace<{ files: number; bytes: number }>(gateway.place, sql)
    return { files: Number(row!.files), bytes: Number(row!.bytes) }
  }
  const isStored = async (id: string): Promise<boolean> =>
    kind === 'sqlite'
      ? existsSync(join(gateway.context.config.mediaDir!, id.slice(-2), id))
      : (await queryPlace(gateway.place, `select piece from media_pieces where media_id = '${id}'`)).length > 0

  test('is typed by its first bytes, sent with any number of the account, and arrives byte for byte under its name', async () => {
    const content = Buffer.concat([Buffer.from('%PDF-1.7 '), randomBytes(2 * MEDIA_PIECE_BYTES + 77)])
    const media = await upload(content, 'application/octet-stream', '?filename=r%C3%A9sum%C3%A9.pdf')
    expect(media).toMatchObject({ mime_type: 'application/pdf', size: content.length, filename: 'résumé.pdf' })
    expect(media.id).toMatch(/^med_[0-9a-z]{26}$/)
    const accepted = await send({ media_type: 'document', media_id: media.id, text: 'for you' })
    expect(accepted.status, accepted.text).toBe(202)
    expect((await endOf(accepted.json.message_id)).state).not.toBe('failed')
    const [held] = (await onThePhone()).filter(({ type }) => type === 'document')
    expect(held!.media).toMatchObject({ mimetype: 'application/pdf', filename: 'résumé.pdf' })
    expect(Buffer.from(held!.media!.data as string, 'base64').equals(content)).toBe(true)
  })

  test('that is a picture is sent as one, or as a sticker, and fails as another type', async () => {
    const { id, mime_type } = await upload(blackPng({ width: 40, height: 30 }))
    expect(mime_type).toBe('image/png')
    const picture = await send({ media_type: 'image', media_id: id })
    expect((await endOf(picture.json.message_id)).state).not.toBe('failed')
    const sticker = await send({ media_type: 'sticker', media_id: id })
    expect((await endOf(sticker.json.message_id)).state).not.toBe('failed')
    const video = await send({ media_type: 'video', media_id: id })
    const { reason, detail } = await endOf(video.json.message_id)
    expect({ reason, detail }).toEqual({
      reason: 'MEDIA_FAILED',
      detail: 'media_id: the content is image/png, not a video',
    })
  })

  test('is downloaded whole or in ranges, always as an attachment', async () => {
    const content = randomBytes(MEDIA_PIECE_BYTES + 1_000)
    const { id } = await upload(content, 'text/html', '?filename=a%22b%20%E2%82%AC.html')
    const whole = await get(id)
    expect(whole.status).toBe(200)
    expect(whole.body.equals(content)).toBe(true)
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      'accept-ranges': 'bytes',
      'content-type': 'text/html',
      'content-length': String(content.length),
      'content-disposition': `attachment; filename="a_b _.html"; filename*=UTF-8''a%22b%20%E2%82%AC.html`,
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
    })
    const last = content.length - 1
    const ranges: Array<[string, number, number]> = [
      ['bytes=0-9', 0, 9],
      [`bytes=${MEDIA_PIECE_BYTES - 5}-${MEDIA_PIECE_BYTES + 4}`, MEDIA_PIECE_BYTES - 5, MEDIA_PIECE_BYTES + 4],
      ['bytes=100-', 100, last],
      ['bytes=-10', last - 9, last],
      ['bytes=5-999999999', 5, last],
    ]
    for (const [range, from, to] of ranges) {
      const part = await get(id, { range })
      expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes ${from}-${to}/${content.length}`])
      expect(part.body.equals(content.subarray(from, to + 1))).toBe(true)
    }
    for (const range of ['bytes=0-1,5-6', 'bytes=9-2', 'pages=1-2', 'bytes=-'])
      expect((await get(id, { range })).status).toBe(200)
    const beyond = await get(id, { range: `bytes=${content.length}-` })
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${content.length}`])
    expect(beyond.headers.get('x-error-code')).toBe('range_unsatisfiable')
    const head = await fetch(`${gateway.url}/v1/media/${id}`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${account.key}` },
    })
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(content.length)])
  })

  test('belongs to its account: for all others it does not exist', async () => {
    const { id } = await upload('a secret file')
    const other = await gateway.account()
    expect((await get(id, {}, other.key)).status).toBe(404)
    expectError(await other.ask('DELETE', `/v1/media/${id}`), 404, 'media not found')
    const session_id = (await other.ask('POST', '/v1/sessions', { platform: 'sandbox' })).json.id
    const body = { session_id, to: ADA, media_type: 'document', media_id: id }
    expectError(await other.ask('POST', '/v1/messages', body), 400, NOT_KEPT)
    expect((await get(id)).status).toBe(200)
  })

  test('needs the scope send to be uploaded and deleted, and read to be downloaded', async () => {
    const { id } = await upload('a file')
    const keyWith = async (scopes: string[]) =>
      gateway.as(account, (await account.ask('POST', '/v1/keys', { label: 'k', scopes })).json.key)
    const reader = await keyWith(['read'])
    const sender = await keyWith(['send'])
    expectError(await reader.ask('POST', '/v1/media', 'x'), 403, 'this key lacks the scope "send"')
    expectError(await reader.ask('DELETE', `/v1/media/${id}`), 403, 'this key lacks the scope "send"')
    expect((await get(id, {}, reader.key)).status).toBe(200)
    expect((await get(id, {}, sender.key)).status).toBe(403)
  })

  test('is kept as long as the plan keeps history, and until a day after the messages that send it', async () => {
    const media = await upload('kept')
    expect(Date.parse(media.expires_at) - Date.parse(media.created_at)).toBe(90 * DAY_MS)
    const sql = `update media set expires_at = ${Date.now() + 60_000} where id = '${media.id}' returning id`
    await queryPlace(gateway.place, sql)
    const sendAt = new Date(Date.now() + 3 * DAY_MS).toISOString()
    expect((await send({ media_type: 'document', media_id: media.id, send_at: sendAt })).status).toBe(202)
    const kept = `select expires_at as at from media where id = '${media.id}'`
    expect(Number((await queryPlace<{ at: number }>(gateway.place, kept))[0]!.at)).toBe(Date.parse(sendAt) + DAY_MS)
  })

  test('that has expired is gone for every request, and its bytes and its share of the storage are freed', async () => {
    const before = await usage()
    const { id } = await upload(randomBytes(3_000))
    expect(await usage()).toEqual({ files: before.files + 1, bytes: before.bytes + 3_000 })
    const accepted = await send({ media_type: 'document', media_id: id }, `kept-${kind}`)
    await endOf(accepted.json.message_id)
    await letExpire(id)
    expect((await get(id)).status).toBe(404)
    expectError(await send({ media_type: 'document', media_id: id }), 400, NOT_KEPT)
    const repeated = await send({ media_type: 'document', media_id: id }, `kept-${kind}`)
    expect([repeated.status, repeated.headers['idempotent-replayed']]).toEqual([202, 'true'])
    await dropExpiredMedia(gateway.context)
    expect(await isStored(id)).toBe(false)
    expect(await usage()).toEqual(before)
  })

  test('is deleted at once when its owner says so', async () => {
    const { id } = await upload('to be deleted')
    expect(await isStored(id)).toBe(true)
    expect((await account.ask('DELETE', `/v1/media/${id}`)).json).toEqual({ id, deleted: true })
    expect(await isStored(id)).toBe(false)
    expect((await get(id)).status).toBe(404)
    expectError(await account.ask('DELETE', `/v1/media/${id}`), 404, 'media not found')
  })

  test('is encrypted at rest, with its name', async () => {
    const { id } = await upload('a very secret content', 'text/plain', '?filename=very-secret-name.txt')
    const [row] = await queryPlace<{ sealed: Uint8Array }>(gateway.place, `select sealed from media where id = '${id}'`)
    expect(Buffer.from(row!.sealed).includes('very-secret-name')).toBe(false)
    const files =
      kind === 'sqlite'
        ? readdirSync(gateway.place.env.POSTERN_DATA_DIR!, { recursive: true, withFileTypes: true })
        : []
    for (const file of files.filter(each => each.isFile()))
      expect(readFileSync(join(file.parentPath, file.name)).includes('very secret content'), file.name).toBe(false)
    const pieces = await queryPlace<{ content: Uint8Array }>(gateway.place, 'select content from media_pieces')
    for (const { content } of pieces) expect(Buffer.from(content).includes('very secret')).toBe(false)
  })

  test('is refused with a cause: nothing in the body, a form, a name with slashes, more than the gateway stores', async () => {
    const before = await usage()
    expectError(await account.ask('POST', '/v1/media', ''), 400, 'body is empty: it must be the file itself')
    const form = { 'content-type': 'multipart/form-data; boundary=x' }
    expectError(await account.ask('POST', '/v1/media', 'x', form), 415, /the body is the file itself, not a form$/)
    const slashes = await account.ask('POST', '/v1/media?filename=a%2Fb', 'x')
    expectError(slashes, 400, 'filename must not contain slashes or control characters')
    expectError(await account.ask('POST', '/v1/media?name=a', 'x'), 400, /name/)
    const limit = kind === 'sqlite' ? '2048 MiB' : '64 MiB'
    expect(await announce(3 * 1_073_741_824)).toEqual({ error: `body must not be larger than ${limit}` })
    expect(await usage()).toEqual(before)
  })

  test('whose bytes are missing fails its message, and holds up no other file that has expired', async () => {
    const [{ id }, { id: other }] = [await upload('lost'), await upload('expired')]
    const path = (file: string) => join(gateway.context.config.mediaDir ?? '', file.slice(-2), file)
    if (kind === 'sqlite') rmSync(path(id))
    else await queryPlace(gateway.place, `delete from media_pieces where media_id = '${id}' returning piece`)
    const accepted = await send({ media_type: 'document', media_id: id })
    const { reason, detail } = await endOf(accepted.json.message_id)
    expect([reason, detail]).toEqual(['MEDIA_FAILED', 'media_id: the file is not kept any more; upload it again'])
    // A folder under the name of a file cannot be removed like one.
    if (kind === 'sqlite') mkdirSync(path(id))
    await letExpire(id)
    await letExpire(other)
    await dropExpiredMedia(gateway.context)
    expect([await isStored(id), await isStored(other)]).toEqual([kind === 'sqlite', false])
    if (kind === 'sqlite') rmdirSync(path(id))
    await dropExpiredMedia(gateway.context)
    expect(await queryPlace(gateway.place, `select id from media where id = '${id}'`)).toEqual([])
  })

  test('of an account are uploaded some at a time: the next one waits, and no file of another account does', async () => {
    const slow = await gateway.account()
    let refused: IncomingMessage | undefined
    const open = Array.from({ length: BOUNDS.fileTransfers + 1 }, () => {
      const headers = { authorization: `Bearer ${slow.key}`, 'content-length': 2 * MEDIA_PIECE_BYTES }
      const asked = request(`${gateway.url}/v1/media`, { method: 'POST', headers, agent: false })
      asked.on('error', () => {}).on('response', response => (refused ??= response))
      // More than a piece: each of them has its row, and a file that is open.
      asked.write(Buffer.alloc(MEDIA_PIECE_BYTES + 1))
      return asked
    })
    const { statusCode } = await until(() => refused)
    const error = `at most ${BOUNDS.fileTransfers} files of an account may be uploaded or downloaded at the same time; wait until one is done`
    expect([statusCode, await json(refused!)]).toEqual([429, { error }])
    const { id } = await upload('small')
    const accepted = await send({ media_type: 'document', media_id: id })
    expect((await endOf(accepted.json.message_id)).state).not.toBe('failed')
    expect((await get(id)).body.toString()).toBe('small')
    expect((await slow.ask('POST', '/v1/media', 'y')).status).toBe(429)
    for (const asked of open) asked.destroy()
    await until(async () => (await slow.ask('POST', '/v1/media', 'y')).status === 201)
  })

  test('in a message goes with media_type, and not with media_url', async () => {
    const { id } = await upload('x')
    const both = { media_type: 'document', media_id: id, media_url: 'https://example.com/x' }
    expectError(await send(both), 400, 'media_id does not go with media_url: give one of them')
    expectError(await send({ media_id: id }), 400, 'media_type is required with media_id')
    expectError(await send({ media_type: 'document' }), 400, 'media_type and media_url are required together')
    expectError(await send({ media_type: 'document', media_id: 'med_unknown' }), 400, NOT_KEPT)
    expectError(await send({ media_type: 'document', media_id: '../etc/passwd' }), 400, NOT_KEPT)
    expectError(await send({ media_type: 'document', media_url: `media:${id}` }), 400, /^media_url /)
  })

  test('is the picture of a preview of a link', async () => {
    const { id } = await upload(blackPng({ width: 400, height: 300 }))
    const text = 'see http://127.0.0.1:9/nothing'
    const accepted = await send({ text, link_preview: { image_media_id: id } })
    expect(accepted.status, accepted.text).toBe(202)
    expect((await endOf(accepted.json.message_id)).state).not.toBe('failed')
    const unknown = 'link_preview.image_media_id refers to no file that is kept; upload it again'
    expectError(await send({ text, link_preview: { image_media_id: 'med_unknown' } }), 400, unknown)
    expectError(await send({ text, link_preview: { image_url: 'ftp://x/y' } }), 400, /^link_preview\.image_url /)
    expectError(await send({ text, link_preview: { image: 'x' } }), 400, /link_preview/)
    expectError(await send({ text, link_preview: 'yes' }), 400, /link_preview/)
  })

  test('that is too large for its media_type is refused before it is queued', async () => {
    const { id } = await upload('x')
    await queryPlace(gateway.place, `update media set bytes = ${65 * 1_048_576} where id = '${id}' returning id`)
    const refused = await send({ media_type: 'video', media_id: id })
    expectError(refused, 400, 'media_id refers to a file that is too large: media_type video may have up to 64 MiB')
    await queryPlace(gateway.place, `update media set bytes = 1 where id = '${id}' returning id`)
  })

  test('counts against the storage of the plan, and an account that has used it up is told what to do', async () => {
    const small = await gateway.account({ plan: 'free' })
    expect((await small.ask('POST', '/v1/media', 'x')).status).toBe(201)
    const full = `update media_usage set bytes = ${4 * 1_073_741_824} where account_id = '${small.id}' returning files`
    await queryPlace(gateway.place, full)
    const refused = await small.ask('POST', '/v1/media', 'x', { accept: 'application/problem+json' })
    expect([refused.status, refused.json.code]).toEqual([429, 'plan_limit_reached'])
    expect(refused.json.detail).toContain('delete some, or wait until some expire')
  })
})
