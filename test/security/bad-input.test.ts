import { connect } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ask, sendBytes } from '../harness/client.ts'
import { onAnyStore } from '../harness/gateway.ts'

describe('Bad input', () => {
  onAnyStore(gateway => {
    const prepare = async () => {
      const account = await gateway().account({
        limits: { messages_per_second: null, messages_per_month: null, requests_per_second: null },
      })
      const session = await gateway().session(account)
      const send = (body: unknown, headers = {}) => account.ask('POST', '/v1/messages', body, headers)
      return { account, session, send }
    }

    it('any well-formed text arrives unchanged; any other is 400', async () => {
      const { account, session, send } = await prepare()
      await fc.assert(
        fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1, maxLength: 300 }), async text => {
          const answer = await send({ session_id: session.id, to: '15550001111', text })
          if (text.includes('\0') || !text.isWellFormed()) expect(answer.status).toBe(400)
          else {
            expect(answer.status).toBe(202)
            const read = await account.ask('GET', `/v1/messages/${answer.json.message_id}`)
            expect(read.json.content.content.text).toBe(text)
          }
        }),
        { numRuns: 60 },
      )
    })

    it('any JSON is answered 202 or 400, never otherwise', async () => {
      const { session, send } = await prepare()
      await fc.assert(
        fc.asyncProperty(fc.dictionary(fc.string({ maxLength: 20 }), fc.jsonValue(), { maxKeys: 5 }), async extra => {
          const answer = await send(JSON.stringify({ session_id: session.id, to: '15550001111', text: 'x', ...extra }))
          expect([202, 400, 403]).toContain(answer.status)
        }),
        { numRuns: 60 },
      )
    })

    it('large, deep and odd bodies are rejected, and the next request is served', async () => {
      const { send, session } = await prepare()
      const bodies = [
        '['.repeat(1_000_000),
        `{"text":${'['.repeat(500_000)}`,
        `{${Array.from({ length: 60_000 }, (_, i) => `"k${i}":1`).join()}}`,
        `{"text":${'9'.repeat(1_000_000)}}`,
        `{"text":"${'\\u0301'.repeat(150_000)}"}`,
        `{"mentions":[${'"x",'.repeat(200_000)}"x"]}`,
        `{"poll":{"name":"q","options":[${'{},'.repeat(200_000)}{}]}}`,
      ]
      for (const body of bodies) expect((await send(body)).status).toBe(400)
      expect((await send({ session_id: session.id, to: '15550001111', text: 'x' })).status).toBe(202)
    })

    it('no input pollutes the prototypes', async () => {
      const { send } = await prepare()
      for (const body of [
        '{"__proto__":{"polluted":1}}',
        '{"constructor":{"prototype":{"polluted":1}}}',
        '{"poll":{"__proto__":{"polluted":1}}}',
      ])
        expect((await send(body)).status).toBe(400)
      expect((await ask(gateway().url, 'GET', '/v1/messages?__proto__[polluted]=1')).status).toBe(401)
      expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    })

    it('header injection cannot put a line into a response or a key', async () => {
      const { account, session } = await prepare()
      const body = JSON.stringify({ session_id: session.id, to: '15550001111', text: 'x' })
      const head = `POST /v1/messages HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${account.key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`
      for (const value of ['a\nX-Evil: 1', 'a\rX-Evil: 1', 'a\r\n X-Evil: 1', 'a\0', 'a\x7f']) {
        const answer = await sendBytes(gateway().url, `${head}Idempotency-Key: ${value}\r\n\r\n${body}`)
        expect(answer).toMatch(/^HTTP\/1\.1 (400|202) /)
        expect(answer.split('\r\n\r\n')[0]).not.toMatch(/x-evil/i)
      }
    })

    it('many open connections that send nothing do not block others', async () => {
      const { account } = await prepare()
      const port = Number(new URL(gateway().url).port)
      const idle = Array.from({ length: 300 }, () => connect(port, '127.0.0.1').on('error', () => {}))
      const slow = Array.from({ length: 50 }, () => connect(port, '127.0.0.1').on('error', () => {}))
      for (const socket of slow) socket.write('POST /v1/messages HTTP/1.1\r\nHost: x\r\n')
      expect((await account.ask('GET', '/v1/me')).status).toBe(200)
      for (const socket of [...idle, ...slow]) socket.destroy()
    })
  })
})
