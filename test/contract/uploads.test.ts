import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeUploadId, UPLOAD_PART_BYTES } from '../../src/domain/upload.ts'
import { expectError } from '../harness/client.ts'
import { startTestGateway, type TestAccount, type TestGateway } from '../harness/gateway.ts'
import { cells } from '../harness/matrix.ts'
import { blackPng } from '../harness/pictures.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { queryPlace, STORES } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

const ADA = '15551234567'
const HOUR_MS = 3_600_000
const NOT_KEPT = 'media_url refers to an uploaded file that has expired; upload it again'

describe.each(cells(STORES))('A file that is uploaded for the sandbox, on %s', kind => {
  let gateway: TestGateway
  let account: TestAccount
  let receiver: Receiver
  let number: string

  beforeAll(async () => {
    gateway = await startTestGateway(kind, { POSTERN_ROLES: 'api,worker,dispatcher,simulator' })
    account = await gateway.account()
    receiver = await startReceiver()
    number = (await account.ask('POST', '/v1/sessions', { platform: 'sandbox' })).json.id
    const urls = { messages_url: receiver.url(), status_url: receiver.url('/status') }
    await account.ask('POST', '/v1/webhooks', { session_id: number, ...urls })
  })
  afterAll(async () => {
    await gateway.stop()
    await receiver.close()
  })

  const upload = async (file: Buffer, type: string) => {
    const answer = await account.ask('POST', '/sandbox/media', file, { 'content-type': type })
    expect(answer.status, answer.text).toBe(201)
    return answer.json as { media_url: string; expires_at: string; size: number; mime_type: string }
  }
  const send = (body: object, key?: string) =>
    account.ask(
      'POST',
      '/v1/messages',
      { session_id: number, to: ADA, ...body },
      key === undefined ? {} : { 'idempotency-key': key },
    )
  const stateOf = async (id: string) => (await account.ask('GET', `/v1/messages/${id}`)).json
  const onThePhone = async () => {
    const path = `/sandbox/sessions/${encodeURIComponent(number)}/messages?contact=${ADA}&include_media=true`
    return (await account.ask('GET', path)).json.data as Array<{ type: string; media?: Record<string, unknown> }>
  }
  const idOf = (mediaUrl: string) => mediaUrl.split(':')[1]!
  const expiryOf = async (mediaUrl: string) => {
    const sql = `select expires_at as at from uploads where id = '${idOf(mediaUrl)}'`
    return Number((await queryPlace<{ at: number }>(gateway.place, sql))[0]!.at)
  }
  const letExpire = (mediaUrl: string) =>
    queryPlace(gateway.place, `update uploads set expires_at = 1 where id = '${idOf(mediaUrl)}' returning id`)

  test('is sent, arrives byte for byte, and its events come as webhooks; it may be sent any number of times', async () => {
    const picture = Buffer.concat([blackPng({ width: 40, height: 30 }), randomBytes(2 * UPLOAD_PART_BYTES + 77)])
    const before = await gateway.store.now()
    const { media_url, size, mime_type, expires_at } = await upload(picture, 'image/png')
    expect({ size, mime_type }).toEqual({ size: picture.length, mime_type: 'image/png' })
    expect(Date.parse(expires_at)).toBeGreaterThanOrEqual(before + HOUR_MS)
    const ids: string[] = []
    for (const text of ['first', 'second']) {
      const accepted = await send({ media_type: 'image', media_url, text })
      expect(accepted.status, accepted.text).toBe(202)
      ids.push(accepted.json.message_id)
    }
    for (const id of ids) {
      await until(async () => ['delivered', 'read'].includes((await stateOf(id)).state))
      await receiver.until(ledger =>
        ledger.some(({ path, body }) => path === '/status' && body.toString().includes(id)),
      )
    }
    const held = (await onThePhone()).filter(({ type }) => type === 'image')
    expect(held).toHaveLength(2)
    const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
    for (const { media } of held) expect(digest(Buffer.from(media!['data'] as string, 'base64'))).toBe(digest(picture))
  })

  test('is a document under the name that the message gives it, with a default name otherwise', async () => {
    const { media_url } = await upload(Buffer.from('a,b\n1,2\n'), 'text/csv; charset=utf-8')
    for (const more of [{ filename: 'report.csv' }, {}]) {
      const accepted = await send({ media_type: 'document', media_url, ...more })
      await until(async () => ['delivered', 'read'].includes((await stateOf(accepted.json.message_id)).state))
    }
    const names = (await onThePhone()).filter(({ type }) => type === 'document').map(({ media }) => media!['filename'])
    expect(names.map(String).toSorted()).toEqual(['file', 'report.csv'])
  })

  test('is stored encrypted, part by part', async () => {
    const secret = Buffer.from('the words of an uploaded file. '.repeat(20_000))
    const { media_url } = await upload(secret, 'text/plain')
    const sql = `select sealed from upload_parts where upload_id = '${idOf(media_url)}' order by part`
    const parts = await queryPlace<{ sealed: Uint8Array }>(gateway.place, sql)
    expect(parts).toHaveLength(Math.ceil(secret.length / UPLOAD_PART_BYTES))
    for (const { sealed } of parts) expect(Buffer.from(sealed).includes('uploaded file')).toBe(false)
  })

  test('is kept at least an hour longer than each message that was accepted with it has to wait', async () => {
    const { media_url } = await upload(randomBytes(100), 'application/octet-stream')
    const first = await expiryOf(media_url)
    const sendAt = Date.now() + 20 * 24 * HOUR_MS
    const document = { media_type: 'document', media_url }
    expect((await send({ ...document, send_at: new Date(sendAt).toISOString() })).status).toBe(202)
    expect(await expiryOf(media_url)).toBeGreaterThanOrEqual(Math.max(first, sendAt + HOUR_MS))
    const later = await expiryOf(media_url)
    expect((await send(document)).status).toBe(202)
    expect(await expiryOf(media_url)).toBe(later)
  })

  test('is not needed to answer a repeated request; a new request after its deletion is rejected', async () => {
    const { media_url } = await upload(randomBytes(100), 'application/octet-stream')
    const body = { media_type: 'document', media_url }
    const first = await send(body, 'upload-once')
    expect(first.status, first.text).toBe(202)
    await until(async () => ['delivered', 'read'].includes((await stateOf(first.json.message_id)).state))
    expect(await letExpire(media_url)).toHaveLength(1)
    const again = await send(body, 'upload-once')
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([202, 'true'])
    expect(again.json.message_id).toBe(first.json.message_id)
    expectError(await send({ ...body, text: 'another' }, 'upload-once'), 400, /Idempotency-Key was already used/)
    expectError(await send(body, 'upload-twice'), 400, NOT_KEPT)
    expectError(await send({ ...body, media_url: `sandbox-upload:${makeUploadId()}` }), 400, NOT_KEPT)
  })

  test('that no longer exists when its message is due fails the message with that reason', async () => {
    const { media_url } = await upload(randomBytes(100), 'application/octet-stream')
    const send_at = new Date(Date.now() + HOUR_MS).toISOString()
    const { message_id } = (await send({ media_type: 'document', media_url, send_at })).json
    expect(await letExpire(media_url)).toHaveLength(1)
    // Its expiry time has come.
    await queryPlace(gateway.place, `update commands set due_at = 1 where id = '${message_id}' returning id`)
    await until(async () => (await stateOf(message_id)).state === 'failed')
    expect(await stateOf(message_id)).toMatchObject({
      reason: 'MEDIA_FAILED',
      detail: 'media_url: the uploaded file is not kept any more; upload it again',
    })
  })

  test('is deleted with all its parts when it expires, and nothing else is', async () => {
    const [gone, kept] = [
      await upload(randomBytes(40 * UPLOAD_PART_BYTES), 'video/mp4'),
      await upload(randomBytes(10), 'text/plain'),
    ]
    await letExpire(gone.media_url)
    const left = async (mediaUrl: string) => {
      const id = idOf(mediaUrl)
      const sql = `select (select count(*) from uploads where id = '${id}') as files,
        (select count(*) from upload_parts where upload_id = '${id}') as parts`
      const [row] = await queryPlace<{ files: number; parts: number }>(gateway.place, sql)
      return { files: Number(row!.files), parts: Number(row!.parts) }
    }
    await until(async () => (await left(gone.media_url)).files === 0)
    expect(await left(gone.media_url)).toEqual({ files: 0, parts: 0 })
    expect(await left(kept.media_url)).toEqual({ files: 1, parts: 1 })
  })
})
