import { describe, expect, it } from 'vitest'
import type { Answer } from '../harness/client.ts'
import { expectError } from '../harness/client.ts'
import { onEachStore, type TestAccount } from '../harness/gateway.ts'

const REFUSED = 'cursor must be a next_cursor of this list, with the same filters'

describe('Cursors reveal nothing that the caller may not see', () => {
  onEachStore(gateway => {
    const prepare = async () => {
      const account = await gateway().account()
      const sessions = []
      for (let i = 0; i < 4; i++) sessions.push(await gateway().session(account))
      for (const session of sessions) {
        await account.ask('POST', '/v1/webhooks', { session_id: session.id })
        for (let i = 0; i < 3; i++)
          await account.ask('POST', '/v1/messages', { session_id: session.id, to: '15550001111', text: 'x' })
      }
      const shown = sessions.at(-1)!
      const { json } = await account.ask('POST', '/v1/keys', { label: 'limited', session_ids: [shown.id] })
      return { account, sessions, shown, limited: gateway().as(account, json.key) }
    }

    async function walk(account: TestAccount, path: string): Promise<Answer[]> {
      const answers: Answer[] = []
      for (let cursor = ''; answers.length < 50; ) {
        const answer = await account.ask('GET', `${path}?limit=1${cursor}`)
        expect(answer.status, answer.text).toBe(200)
        answers.push(answer)
        if (answer.json.next_cursor === null) break
        cursor = `&cursor=${answer.json.next_cursor}`
      }
      return answers
    }

    const readable = (text: string) => Buffer.from(text, 'base64url').toString('latin1')

    it('so a key limited to some numbers learns of no other number, message or key from any list', async () => {
      const { account, sessions, shown, limited } = await prepare()
      const all = [
        ...(await account.ask('GET', '/v1/messages?limit=100')).json.data,
        ...(await account.ask('GET', '/v1/webhooks')).json.data,
        ...(await account.ask('GET', '/v1/keys')).json.data,
      ].map(({ id }: { id: string }) => id)
      const secret = [...all, ...sessions.map(session => session.phone)]
      for (const path of ['/v1/sessions', '/v1/messages', '/v1/webhooks', '/v1/keys', '/v1/deliveries']) {
        for (const { json } of await walk(limited, path)) {
          if (json.next_cursor === null) continue
          for (const word of secret) expect(readable(json.next_cursor)).not.toContain(word)
        }
      }
      const pages = await walk(limited, '/v1/sessions')
      expect(pages.map(({ json }) => json.data.map(({ phone }: { phone: string }) => phone))).toEqual([[shown.phone]])
      expect((await walk(limited, '/v1/keys')).map(({ json }) => json.data.length)).toEqual([1])
    })

    it('and work only in the list, account and filter that they were issued for', async () => {
      const { account, sessions } = await prepare()
      const other = await gateway().account()
      const { next_cursor: cursor } = (await account.ask('GET', '/v1/messages?limit=2')).json
      expect((await account.ask('GET', `/v1/messages?limit=100&cursor=${cursor}`)).json.data).toHaveLength(10)
      for (const path of ['/v1/webhooks', '/v1/sessions', '/v1/keys', '/v1/deliveries'])
        expectError(await account.ask('GET', `${path}?cursor=${cursor}`), 400, REFUSED)
      expectError(await other.ask('GET', `/v1/messages?cursor=${cursor}`), 400, REFUSED)
      expectError(await account.ask('GET', `/v1/messages?state=queued&cursor=${cursor}`), 400, REFUSED)
      const session = encodeURIComponent(sessions[0]!.id)
      expectError(await account.ask('GET', `/v1/messages?session_id=${session}&cursor=${cursor}`), 400, REFUSED)
      const { next_cursor: ofState } = (await account.ask('GET', '/v1/messages?state=queued&limit=2')).json
      const again = await account.ask('GET', `/v1/messages?cursor=${ofState}&limit=3&state=queued`)
      expect(again.json.data).toHaveLength(3)
    })

    it('and are rejected if they were invented or changed', async () => {
      const { account } = await prepare()
      const { next_cursor: cursor } = (await account.ask('GET', '/v1/messages?limit=2')).json
      const bytes = Buffer.from(cursor, 'base64url')
      bytes[bytes.length - 1]! ^= 1
      const guesses = ['x', 'AQ', Buffer.from('msg_01').toString('base64url'), bytes.toString('base64url'), '%00', '']
      for (const guess of guesses)
        expectError(await account.ask('GET', `/v1/messages?cursor=${guess}`), 400, /^cursor must /)
      const { json } = await gateway().operator('GET', '/operator/accounts?limit=1')
      expect((await gateway().operator('GET', `/operator/accounts?limit=1&cursor=${json.next_cursor}`)).status).toBe(
        200,
      )
      expectError(await account.ask('GET', `/v1/messages?cursor=${json.next_cursor}`), 400, REFUSED)
    })
  })
})
