import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { canonical } from '../../src/domain/fingerprint.ts'
import { expectError } from '../harness/client.ts'
import { startTestGateway } from '../harness/gateway.ts'
import { Seal } from '../../src/store/seal.ts'
import { newPlace, type Place, queryPlace, ONE_STORE } from '../harness/stores.ts'

const newKey = (): string => randomBytes(32).toString('base64')
const seal = (keys: string): Seal => new Seal(keys.split(',').map(key => Buffer.from(key, 'base64')))

/** The record of the key that encrypts everything. */
async function keyCheck(place: Place): Promise<Buffer> {
  const [row] = await queryPlace<{ value: string }>(place, "select value from settings where name = 'key_check'")
  return Buffer.from(row!.value, 'base64')
}

describe.each(ONE_STORE)('The fingerprint that recognises a repeated request, on %s', kind => {
  it('does not reveal from the database which text was sent, and survives a change of the secret key', async () => {
    const place = await newPlace(kind)
    const [old, fresh] = [newKey(), newKey()]
    const first = await startTestGateway(place, { POSTERN_SECRET_KEY: old })
    const account = await first.account()
    const session = await first.session(account)
    const body = { session_id: session.id, to: '15550001111', text: 'Your code is 493027' }
    const headers = { 'idempotency-key': 'one' }
    const accepted = await account.ask('POST', '/v1/messages', body, headers)
    expect(accepted.status).toBe(202)
    const [row] = await queryPlace<{ fingerprint: Uint8Array }>(place, 'select fingerprint from messages')
    const kept = Buffer.from(row!.fingerprint)
    expect(kept.length).toBeGreaterThan(0)
    expect(kept.includes(createHash('sha256').update(canonical(body)).digest())).toBe(false)
    await first.stop()

    for (const keys of [old, `${fresh},${old}`]) {
      const gateway = await startTestGateway(place, { POSTERN_SECRET_KEY: keys })
      const again = gateway.as(account, account.key)
      const repeated = await again.ask('POST', '/v1/messages', body, headers)
      expect(repeated.json).toEqual(accepted.json)
      expect(repeated.headers['idempotent-replayed']).toBe('true')
      const other = await again.ask('POST', '/v1/messages', { ...body, text: 'Your code is 493028' }, headers)
      expectError(other, 400, 'Idempotency-Key was already used with a different request')
      await expect.poll(async () => seal(keys).isOld(await keyCheck(place))).toBe(false)
      await gateway.stop()
    }
    // The old key is gone: the body can no longer be compared, and nothing is sent a second time.
    const last = await startTestGateway(place, { POSTERN_SECRET_KEY: fresh })
    const repeated = await last.as(account, account.key).ask('POST', '/v1/messages', body, headers)
    expect(repeated.json).toEqual(accepted.json)
    await last.stop()
    place.remove()
  })
})
