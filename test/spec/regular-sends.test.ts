import { describe, expect, it } from 'vitest'
import { BOUNDS } from '../../src/domain/bounds.ts'
import { type Answer, ask } from '../harness/client.ts'
import { onAnyStore } from '../harness/gateway.ts'

/** A body of this type is never answered in front of the framework. */
const THE_LONG_WAY = { 'content-type': 'application/json; charset=utf-8' }
const UNLIKE = /msg_\w+|req_\w+|usual-\d+|long-\d+/g
const OWN_HEADERS = ['date', 'keep-alive', 'content-length']

/** An answer without what differs between any two requests. */
function shown({ status, headers, text }: Answer) {
  const kept = Object.entries(headers).filter(([name]) => !OWN_HEADERS.includes(name))
  return { status, text: text.replace(UNLIKE, ''), headers: JSON.stringify(kept).replace(UNLIKE, '') }
}

describe('Sends that are answered in front of the framework', () => {
  onAnyStore(gateway => {
    let serial = 0

    async function prepare(limits = {}) {
      const account = await gateway().account({ limits })
      const session = await gateway().session(account)
      const body = { session_id: session.id, to: '+1 555 000-1111', text: 'hello' }
      /** Rejected and not counted, but the caches of key and number have both from here on, for a moment. */
      const warm = () => account.ask('POST', '/v1/messages', { ...body, media_type: 'image', media_id: 'med_none' })
      const both = async (asked: unknown, headers: Record<string, string | string[]> = {}) => {
        const n = serial++
        const key = { 'idempotency-key': `usual-${n}`, ...headers }
        await warm()
        const usual = await account.ask('POST', '/v1/messages', asked, key)
        const long = await account.ask('POST', '/v1/messages', asked, {
          ...THE_LONG_WAY,
          'idempotency-key': `long-${n}`,
          ...headers,
        })
        return [usual, long] as const
      }
      return { account, session, body, both }
    }

    it('have the same answer as on the long way: status, headers, body, and the errors of each check', async () => {
      const { body, both } = await prepare()
      const requests: Array<[unknown, Record<string, string | string[]>?]> = [
        [body],
        [{ ...body, send_at: '2999-01-01T00:00:00Z' }],
        [{ ...body, priority: 'high', mentions: ['15550001112'], link_preview: true }],
        [{ ...body, to: 'status@broadcast' }],
        [{ ...body, to: 'nobody' }],
        [{ ...body, to: undefined }],
        [{ ...body, text: undefined }],
        [{ ...body, text: '' }],
        [{ ...body, text: 5 }],
        [{ ...body, text: 'a\0b' }],
        [{ ...body, text: 'half \ud83d' }],
        [{ ...body, unknown: true }],
        [{ ...body, session_id: '15559998888@s.whatsapp.net' }],
        [{ ...body, session_id: 'x' }],
        [{ ...body, media_type: 'image' }],
        [{ ...body, media_type: 'image', media_url: 'http://127.0.0.1/x' }],
        [{ ...body, media_type: 'image', media_id: 'med_none' }],
        [{ ...body, reacted_message_id: 'X', text: '👍' }],
        [{ ...body, quoted_message_id: 'X' }],
        [[body]],
        ['"text"'],
        ['{"session_id":'],
        [Buffer.from([0x7b, 0xff, 0x7d])],
        [`${'['.repeat(40)}${']'.repeat(40)}`],
        [body, { 'idempotency-key': 'with space' }],
        [body, { 'idempotency-key': 'k'.repeat(256) }],
        [body, { 'x-request-id': 'own-id' }],
        [body, { 'x-request-id': 'not valid' }],
        [{ ...body, text: 5 }, { accept: 'application/problem+json' }],
        [body, { authorization: 'Bearer ptn_unknown' }],
        [body, { authorization: '' }],
      ]
      for (const [asked, headers] of requests) {
        const [usual, long] = await both(asked, headers)
        expect(shown(usual), JSON.stringify(asked)).toEqual(shown(long))
      }
    })

    it('repeat a first answer, and reject a key of another request, whichever way came first', async () => {
      const { account, body } = await prepare()
      const send = (key: string, long: boolean, text = 'hello') =>
        account.ask('POST', '/v1/messages', { ...body, text }, { 'idempotency-key': key, ...(long && THE_LONG_WAY) })
      for (const first of [true, false]) {
        const key = `key-${first}`
        const original = await send(key, first)
        for (const way of [true, false]) {
          const again = await send(key, way)
          expect(again.text).toBe(original.text)
          expect(again.headers['idempotent-replayed']).toBe('true')
          expect((await send(key, way, 'other')).json.error).toMatch(/already used/)
        }
      }
      expect((await account.ask('GET', '/v1/me')).json.usage.messages).toBe(2)
    })

    it('count toward the limits of requests and of messages once, whichever way they are answered', async () => {
      const { body, both } = await prepare({ messages_per_month: 2 })
      const [usual, long] = await both(body)
      expect([usual.status, long.status]).toEqual([202, 202])
      const [full, alsoFull] = await both(body)
      expect(full.status).toBe(429)
      expect(full.text).toBe(alsoFull.text)

      const busy = await gateway().account({ limits: { requests_per_second: 1, requests_burst: 6 } })
      const session = await gateway().session(busy)
      const sent: number[] = []
      for (let i = 0; i < 12; i++) {
        const answer = await ask(gateway().url, 'POST', '/v1/messages', {
          key: busy.key,
          body: { ...body, session_id: session.id },
          headers: i % 2 === 0 ? {} : THE_LONG_WAY,
        })
        sent.push(answer.status)
      }
      expect(sent.slice(0, 6)).toEqual(Array.from({ length: 6 }, () => 202))
      expect(sent).toContain(429)
    })

    it('keep no memory of their bodies when they are rejected', async () => {
      const { account, body } = await prepare({ requests_per_second: 1, requests_burst: 3 })
      const large = { ...body, text: 'x'.repeat(16_000) }
      await account.ask('POST', '/v1/messages', large)
      const errors = new Set<string>()
      // More than the bodies of one account may take at once.
      for (let i = 0; i < BOUNDS.bodyBytesOfAccount / 16_000; i += 50) {
        const batch = Array.from({ length: 50 }, () => account.ask('POST', '/v1/messages', large))
        for (const { status, json } of await Promise.all(batch)) if (status !== 202) errors.add(json.error)
      }
      expect([...errors]).toEqual(['rate limit exceeded'])
    })
  })
})
