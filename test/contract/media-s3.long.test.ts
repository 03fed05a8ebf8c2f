import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../scripts/shared/free-port.mjs'
import { readConfig } from '../../src/config.ts'
import { MEDIA_PIECE_BYTES } from '../../src/domain/media.ts'
import { dropExpiredMedia } from '../../src/maintenance/media-retention.ts'
import { S3Bucket } from '../../src/store/media/s3-bucket.ts'
import { expectError } from '../harness/client.ts'
import { startTestGateway, type TestAccount, type TestGateway } from '../harness/gateway.ts'
import { type S3Server, startS3Server } from '../harness/s3-server.ts'
import { queryPlace, STORES } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

const MIB = 1_048_576
const ADA = '15551234567'

describe.each(STORES)('A file in a bucket, on %s', kind => {
  let s3: S3Server
  let gateway: TestGateway
  let account: TestAccount
  let number: string

  beforeAll(async () => {
    s3 = await startS3Server()
    gateway = await startTestGateway(kind, { POSTERN_ROLES: 'api,worker,dispatcher,simulator', ...s3.env })
    account = await gateway.account()
    number = (await account.ask('POST', '/v1/sessions', { platform: 'sandbox' })).json.id
  })
  afterAll(async () => {
    await gateway.stop()
    await s3.close()
  })

  const upload = async (content: Buffer): Promise<string> => {
    const answer = await account.ask('POST', '/v1/media', content)
    expect(answer.status, answer.text).toBe(201)
    return answer.json.id
  }
  const get = async (id: string, range?: string) => {
    const headers = { authorization: `Bearer ${account.key}`, ...(range !== undefined && { range }) }
    const response = await fetch(`${gateway.url}/v1/media/${id}`, { headers })
    return { status: response.status, body: Buffer.from(await response.arrayBuffer()) }
  }
  const send = async (id: string): Promise<string> => {
    const body = { session_id: number, to: ADA, media_type: 'document', media_id: id }
    const accepted = await account.ask('POST', '/v1/messages', body)
    expect(accepted.status, accepted.text).toBe(202)
    return accepted.json.message_id
  }
  const endOf = (id: string) =>
    until(async () => {
      const { json } = await account.ask('GET', `/v1/messages/${id}`)
      return ['delivered', 'read', 'failed'].includes(json.state) && json
    })

  test.each([
    ['as one object', 3_000],
    ['as one object of several pieces', 3 * MEDIA_PIECE_BYTES],
    ['in parts', 12 * MIB + 77],
    ['in parts that end with a part', 40 * MEDIA_PIECE_BYTES],
  ])('is uploaded %s, downloaded whole or in ranges, and sent', async (_, bytes) => {
    const content = randomBytes(bytes)
    const id = await upload(content)
    expect(s3.objects()).toContain(id)
    expect((await get(id)).body.equals(content)).toBe(true)
    const ranges = [
      [0, 9],
      [bytes - 10, bytes - 1],
      [Math.floor(bytes / 2), Math.min(bytes - 1, Math.floor(bytes / 2) + 2 * MEDIA_PIECE_BYTES)],
    ] as const
    for (const [from, to] of ranges) {
      const part = await get(id, `bytes=${from}-${to}`)
      expect([part.status, part.body.equals(content.subarray(from, to + 1))]).toEqual([206, true])
    }
    expect((await endOf(await send(id))).state).not.toBe('failed')
  })

  test('is deleted with its object, also when it expires', async () => {
    const [one, other] = [await upload(Buffer.from('one')), await upload(Buffer.from('other'))]
    await account.ask('DELETE', `/v1/media/${one}`)
    await queryPlace(gateway.place, `update media set expires_at = 1 where id = '${other}' returning id`)
    await dropExpiredMedia(gateway.context)
    expect(s3.objects()).not.toContain(one)
    expect(s3.objects()).not.toContain(other)
  })

  test('waits for a storage that is away: an upload is told to come later, and a message is sent when it is back', async () => {
    const id = await upload(Buffer.from('still there'))
    await s3.stop()
    const refused = await account.ask('POST', '/v1/media', 'x', { accept: 'application/problem+json' })
    expect([refused.status, refused.json.code]).toEqual([502, 'not_stored'])
    const message = await send(id)
    await s3.start()
    expect((await endOf(message)).state).not.toBe('failed')
    expect((await get(id)).body.toString()).toBe('still there')
  })

  test('that is missing in the bucket fails its message', async () => {
    const id = await upload(Buffer.from('lost'))
    await new S3Bucket(readConfig({ ...s3.env, POSTERN_DATA_DIR: gateway.place.dataDir }).mediaS3!).remove(id)
    const { reason, detail } = await endOf(await send(id))
    expect([reason, detail]).toEqual(['MEDIA_FAILED', 'media_id: the file is not kept any more; upload it again'])
  })

  test('needs a bucket and a key that exist: a probe names what is wrong', async () => {
    const right = readConfig({ ...s3.env, POSTERN_DATA_DIR: gateway.place.dataDir }).mediaS3!
    await new S3Bucket(right).probe()
    const codeOf = (settings: object) => new S3Bucket({ ...right, ...settings }).probe().catch(({ code }) => code)
    expect(await codeOf({ bucket: 'no-such-bucket' })).toBe('NoSuchBucket')
    expect(await codeOf({ secretAccessKey: 'wrong' })).toBe('SignatureDoesNotMatch')
    expect(await codeOf({ endpoint: `http://127.0.0.1:${await freePort()}` })).toBe('ECONNREFUSED')
    expect(await codeOf({ endpoint: 'http://127.0.0.1:9' })).toBe('BadPort')
  })

  test('of a customer over the limit of the plan leaves no object', async () => {
    const before = s3.objects().length
    const small = await gateway.account({ plan: 'free' })
    expect((await small.ask('POST', '/v1/media', 'x')).status).toBe(201)
    const full = `update media_usage set bytes = ${4 * 1_073_741_824} where account_id = '${small.id}' returning files`
    await queryPlace(gateway.place, full)
    expectError(await small.ask('POST', '/v1/media', 'x'), 429)
    expect(s3.objects().length).toBe(before + 1)
  })
})
