import { randomBytes } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { beforeAll, describe, expect, it } from 'vitest'
import { BOUNDS } from '../../src/domain/bounds.ts'
import { makeId } from '../../src/domain/ids.ts'
import { sessionLease } from '../../src/domain/lease.ts'
import { makeUploadId } from '../../src/domain/upload.ts'
import { expectError } from '../harness/client.ts'
import { onAnyStore, startTestGateway, type TestAccount, type TestGateway } from '../harness/gateway.ts'
import { takeSession } from '../harness/leases.ts'
import { queryPlace } from '../harness/stores.ts'
import { comeAsStranger } from '../harness/stranger.ts'
import { until } from '../harness/until.ts'

const MIB = 1_048_576
const NOT_KEPT = 'media_url refers to an uploaded file that has expired; upload it again'
const NOT_FOR_IT = 'media_url refers to an uploaded file, which only sandbox numbers can send; give the URL of the file'
const JPEG = { 'content-type': 'image/jpeg' }

describe('Uploaded files', () => {
  onAnyStore((gateway, kind) => {
    let owner: TestAccount
    let other: TestAccount
    const numbers = new Map<TestAccount, string>()
    const unlimited = { limits: { requests_per_second: null } }

    beforeAll(async () => {
      owner = await gateway().account(unlimited)
      other = await gateway().account(unlimited)
      for (const [at, account] of [owner, other].entries())
        numbers.set(account, await addSandboxNumber(gateway(), account, `99977700${at}${kind.length}`))
    })

    const upload = (account: TestAccount, file: unknown = 'a file', headers: Record<string, string> = JPEG) =>
      account.ask('POST', '/sandbox/media', file, headers)
    const send = (account: TestAccount, media_url: string, session_id = numbers.get(account)!) =>
      account.ask('POST', '/v1/messages', { session_id, to: '15550001111', media_type: 'document', media_url })
    const keptOf = async (account: TestAccount) => {
      const sql = `select count(*) as n from uploads where account_id = '${account.id}' and expires_at > 1`
      return Number((await queryPlace<{ n: number }>(gateway().place, sql))[0]!.n)
    }

    it('of another account cannot be sent, and no response reveals that they exist', async () => {
      const { media_url } = (await upload(owner)).json
      const refused = await send(other, media_url)
      expectError(refused, 400, NOT_KEPT)
      const unknown = await send(other, `sandbox-upload:${makeUploadId()}`)
      expect([refused.text, refused.headers['x-error-code']]).toEqual([unknown.text, unknown.headers['x-error-code']])
      const id = media_url.split(':')[1]
      const { uploads } = gateway().store
      const found = (session: string) => uploads.findUpload({ id, sessionId: session.replace(/:\d+@/, '@') })
      expect(await found(numbers.get(owner)!)).toMatchObject({ mimeType: 'image/jpeg', parts: 1 })
      expect(await found(numbers.get(other)!)).toBeUndefined()
    })

    it('are for sandbox numbers only: the API rejects a real number, and the store finds no file for it', async () => {
      const { media_url } = (await upload(owner)).json
      const real = await gateway().session(owner)
      expectError(await send(owner, media_url, real.id), 400, NOT_FOR_IT)
      const id = media_url.split(':')[1]
      expect(await gateway().store.uploads.findUpload({ id, sessionId: real.jid })).toBeUndefined()
      const held = { id, accountId: owner.id, sessionId: real.jid, sendAt: null }
      expect(await gateway().store.uploads.prolongUpload(held)).toBe(false)
    })

    it.each([
      'sandbox-upload:',
      'sandbox-upload:../../../../etc/passwd',
      `sandbox-upload://${'a'.repeat(24)}`,
      `SANDBOX-UPLOAD:${'a'.repeat(24)}`,
      'file:///etc/passwd',
    ])('open no other way to an address: %s is rejected as before', async media_url => {
      expectError(await send(owner, media_url), 400, /^media_url /)
      expect((await send(owner, media_url)).json.error).not.toBe(NOT_KEPT)
    })

    it('are rejected if they are empty, a form, without a type, or too large, whether or not they declare their size', async () => {
      const before = await keptOf(owner)
      const type = (text: string) => ({ 'content-type': text })
      expectError(await upload(owner, '', JPEG), 400, 'body is empty: it must be the file itself')
      expectError(await owner.ask('POST', '/sandbox/media'), 400, 'body is empty: it must be the file itself')
      expectError(await upload(owner, 'x', type('multipart/form-data; boundary=x')), 415, /the body is the file itself/)
      expectError(await upload(owner, 'x', type('application/x-www-form-urlencoded')), 415, /not a form$/)
      expectError(await upload(owner, 'x', type('photo')), 415, /must say what the file is, such as image\/jpeg$/)
      const untyped = { ...JPEG, 'content-type': [] as unknown as string }
      expectError(await upload(owner, 'x', untyped), 415, /must say what the file is, such as image\/jpeg$/)
      expectError(await upload(owner, Buffer.alloc(64 * MIB + 1)), 413, 'body must not be larger than 64 MiB')
      expect(await keptOf(owner)).toBe(before)
    })

    it('that turn out too large or are aborted take up space only for what has arrived', async () => {
      // The other store would show no more, and writes as much.
      if (kind !== 'sqlite') return
      const account = await gateway().account(unlimited)
      expect(await uploadUnmeasured(gateway().url, account.key, 65)).toBe(413)
      const sql = `select sum(bytes) as n from uploads where account_id = '${account.id}' and expires_at > 1`
      const [taken] = await queryPlace<{ n: number }>(gateway().place, sql)
      expect(Number(taken!.n)).toBeGreaterThan(60 * MIB)
    })

    it('of 64 MiB are accepted; an expired one is rejected like one that never existed', async () => {
      const size = kind === 'sqlite' ? 64 * MIB : MIB
      const { status, json } = await upload(owner, Buffer.alloc(size, 'x'), { 'content-type': 'video/mp4' })
      expect([status, json.size]).toEqual([201, size])
      const expired = `update uploads set expires_at = 1 where id = '${json.media_url.split(':')[1]}' returning id`
      expect(await queryPlace(gateway().place, expired)).toHaveLength(1)
      expectError(await send(owner, json.media_url), 400, NOT_KEPT)
    })

    it('are limited by number and by size, even if many come at once; deleting one makes room', async () => {
      const account = await gateway().account(unlimited)
      const answers = await Promise.all(Array.from({ length: BOUNDS.uploads + 20 }, () => upload(account, 'x')))
      const refused = answers.filter(({ status }) => status !== 201)
      expect(refused).toHaveLength(20)
      for (const answer of refused)
        expectError(
          answer,
          429,
          'at most 200 uploaded files of 256 MiB together are kept for an account; wait until some expire',
        )
      expect(Number(refused[0]!.headers['retry-after'])).toBeLessThanOrEqual(3_600)
      expect(await keptOf(account)).toBe(BOUNDS.uploads)
      const all = `update uploads set expires_at = 1 where account_id = '${account.id}' returning id`
      await queryPlace(gateway().place, all)
      // Of unknown length: each may become 64 MiB, and four of them take up all space.
      const coming = Array.from({ length: 4 }, () => comeUnmeasured(gateway().url, account.key))
      await until(async () => (await keptOf(account)) === 4)
      expectError(await upload(account, 'x'), 429)
      for (const stranger of coming) stranger.leave()
      await until(async () => (await keptOf(account)) === 0)
      expect((await upload(account, 'x')).status).toBe(201)
    })

    it('require the scope to send, and their address does not appear in the API log', async () => {
      const { key } = (await owner.ask('POST', '/v1/keys', { label: 'reader', scopes: ['read', 'manage'] })).json
      expectError(await upload(gateway().as(owner, key)), 403, 'this key lacks the scope "send"')
      const { media_url } = (await upload(owner, randomBytes(10))).json
      await send(owner, media_url)
      const requests = await until(async () => {
        const listed = await owner.ask('GET', '/v1/requests')
        return listed.text.includes('/sandbox/media') && listed.text
      })
      expect(requests).not.toContain(media_url.split(':')[1])
    })
  })

  it('have no route if the sandbox is off', async () => {
    const gateway = await startTestGateway('sqlite', { POSTERN_SANDBOX: 'off' })
    const account = await gateway.account()
    expectError(await account.ask('POST', '/sandbox/media', 'x', JPEG), 404, 'path not found')
    await gateway.stop()
  })
})

/** A number as a finished pairing would leave it, with the test as its worker. */
async function addSandboxNumber(gateway: TestGateway, account: TestAccount, phone: string): Promise<string> {
  const id = `${phone}@s.whatsapp.net`
  const number = { id, phone, device: 1, label: '', platform: 'sandbox', maxSessions: null } as const
  await gateway.store.leases.addLeases({ names: [sessionLease(id)], pool: null })
  await takeSession(gateway.store, id, { owner: makeId('node'), ttlMs: 3_600_000 })
  await gateway.store.sessions.registerSession({ ...number, accountId: account.id })
  return `${phone}:1@s.whatsapp.net`
}

/** Begins an upload without a length, and writes nothing more. */
function comeUnmeasured(url: string, key: string) {
  const stranger = comeAsStranger(url)
  const head = ['POST /sandbox/media HTTP/1.1', 'Host: x', `Authorization: Bearer ${key}`, 'Content-Type: image/jpeg']
  stranger.write(`${[...head, 'Transfer-Encoding: chunked'].join('\r\n')}\r\n\r\n4\r\nabcd\r\n`)
  return stranger
}

/** Writes this many MiB in chunks; returns the status. */
function uploadUnmeasured(url: string, key: string, mib: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, ...JPEG }
    const request = httpRequest(`${url}/sandbox/media`, { method: 'POST', headers })
    request.once('response', response => {
      response.resume()
      resolve(response.statusCode!)
      request.destroy()
    })
    request.once('error', reject)
    for (let n = 0; n < mib; n++) request.write(Buffer.alloc(MIB))
    request.end()
  })
}
