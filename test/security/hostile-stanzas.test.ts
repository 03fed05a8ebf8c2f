import { type BinaryNode, proto } from 'baileys'
import { Value } from 'typebox/value'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Event } from '../../src/domain/event.ts'
import { phoneJid } from '../../src/domain/jid.ts'
import { eventSchemas } from '../../src/http/openapi/event-schemas.ts'
import type { Interpretation } from '../../src/platform/platform.ts'
import { stanzaItem } from '../../src/platform/whatsapp/received/inbox-item.ts'
import { type Hosted, type Rig, startRig } from '../harness/whatsapp-rig.ts'

/** Names that every object inherits. */
const INHERITED = ['constructor', '__proto__', 'toString', 'valueOf', 'hasOwnProperty', 'isPrototypeOf']
const NOW = () => Math.floor(Date.now() / 1000)

describe('Stanzas are published according to their schema, or not at all', () => {
  let rig: Rig
  let hosted: Hosted
  beforeAll(async () => {
    rig = await startRig()
    hosted = await rig.link('999320000002')
  })
  afterAll(() => rig.close())

  const from = phoneJid('5511902000002')
  const interpret = (stanza: BinaryNode): Promise<Interpretation> =>
    hosted.session.interpret(stanzaItem(stanza, Date.now()), new AbortController().signal)
  const published = async (stanza: BinaryNode): Promise<Event[]> => {
    const meaning = await interpret(stanza)
    const events = meaning.kind === 'events' ? (meaning.events as Event[]) : []
    for (const event of events) {
      const said = JSON.parse(JSON.stringify(event)) as Event
      expect(Value.Errors(eventSchemas[said.kind].schema, said)).toEqual([])
    }
    return events
  }
  const call = (tag: string, attrs: Record<string, string> = {}, more: Record<string, string> = {}): BinaryNode => ({
    tag: 'call',
    attrs: { from, id: 'C1', ...more },
    content: [{ tag, attrs: { 'call-id': 'CALL', 'call-creator': from, ...attrs } }],
  })
  const presence = (last: string): BinaryNode => ({ tag: 'presence', attrs: { from, type: 'unavailable', last } })

  test.each(INHERITED)('and a part of a call named %s is not an event', async tag => {
    expect(await published(call(tag))).toEqual([])
  })

  test.each(INHERITED)('and a receipt of type %s is ignored', async type => {
    expect(await interpret({ tag: 'receipt', attrs: { from, id: 'R1', type } })).toMatchObject({ kind: 'none' })
  })

  const TIMES = ['NaN', 'Infinity', '-Infinity', '-1', '1e300', String(Date.now()), '9007199254740993', 'soon', '']
  test.each(TIMES)('and a call, a post and a receipt at "%s" have the time of their arrival', async t => {
    const before = NOW()
    const [event] = await published(call('offer', {}, { t }))
    const post = { tag: 'message', attrs: { id: `P${t}`, server_id: '7', t } }
    const [posted] = await published({
      tag: 'notification',
      attrs: { from: '1@newsletter', id: 'N1' },
      content: [post],
    })
    const receipt = await interpret({ tag: 'receipt', attrs: { from, id: 'R1', t } })
    const seconds = [
      (event as { timestamp_unix: number }).timestamp_unix,
      (posted as { timestamp_unix: number }).timestamp_unix,
      receipt.kind === 'receipts' ? Math.floor(receipt.receipts[0]!.atMs / 1000) : 0,
    ]
    for (const second of seconds) {
      expect(second).toBeGreaterThanOrEqual(before)
      expect(second).toBeLessThanOrEqual(NOW())
    }
  })

  test.each(['1e300', '9007199254740993', '0x10', '1.5', 'NaN', '-3', ''])(
    'and a post with the number "%s", to which no reaction is possible, is not published',
    async server_id => {
      const post = { tag: 'message', attrs: { id: 'P', server_id, t: '1700000000' } }
      expect(
        await published({ tag: 'notification', attrs: { from: '1@newsletter', id: 'N' }, content: [post] }),
      ).toEqual([])
    },
  )

  test.each(['1e300', 'Infinity', '-1', 'deny', '1.5', String(Date.now())])(
    'and last seen "%s" counts as hidden',
    async last => {
      await hosted.run({ kind: 'presence_subscribe', contactJid: from })
      expect(await published(presence(last))).toMatchObject([{ kind: 'presence', last_seen_unix: 0 }])
    },
  )

  test('and attributes that look like bytes stay attributes', async () => {
    const disguised = { type: 'Buffer', data: 'aGVsbG8=' }
    expect(await published(call('offer', disguised, disguised))).toMatchObject([{ call_id: 'CALL', from_jid: from }])
    expect(await published(call('offer', { type: 'Buffer' }, { type: 'Buffer' }))).toMatchObject([{ call_id: 'CALL' }])
    const content = Buffer.from(proto.Message.encode({ conversation: 'hi' }).finish())
    const post = {
      tag: 'message',
      attrs: { id: 'PX', server_id: '9', ...disguised },
      content: [{ tag: 'plaintext', attrs: disguised, content }],
    }
    expect(
      await published({ tag: 'notification', attrs: { from: '1@newsletter', id: 'N' }, content: [post] }),
    ).toMatchObject([{ text: 'hi', server_id: 9 }])
  })
})
