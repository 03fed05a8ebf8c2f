import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { BinaryNode } from 'baileys'
import { decodeBinaryNode, encodeBinaryNode } from 'baileys'
import { describe, expect, test } from 'vitest'
import * as messages from '@postern/simulator/server/message-stanzas'
import * as stanzas from '@postern/simulator/server/stanzas'

/**
 * Codec and protobufs are shared with the engine, so an error in a shape could cancel out. The shapes are therefore
 * pinned: `UPDATE_FIXTURES=1` writes the file again, and a person reviews the difference.
 */
const FIXTURES = fileURLToPath(new URL('./fixtures/simulator-stanzas.json', import.meta.url))

const bytes = (name: string): Buffer => Buffer.from(`<${name}>`)
const bundle = {
  registrationId: 4242,
  identityKey: bytes('identity'),
  signedPreKey: { id: 7, publicKey: bytes('signed prekey'), signature: bytes('signature') },
  preKey: { id: 8, publicKey: bytes('prekey') },
}
const head = { id: 'ID', t: '1700000000', type: 'text', notify: 'Alice' }
const direct = { ...head, from: '5511@s.whatsapp.net', addressing: 'pn', senderAlt: '2999@lid' } as const
const group = {
  ...head,
  from: '120363@g.us',
  participant: '2999@lid',
  addressing: 'lid',
  senderAlt: '5511@s.whatsapp.net',
} as const
const receipt = { id: 'ID', t: '1700000000', from: '5511@s.whatsapp.net' }
const parties = {
  id: 'ID',
  callId: 'CALL',
  from: '2999@lid',
  creator: '2999@lid',
  callerPn: '5511@s.whatsapp.net',
  notify: 'Alice',
}
const post = {
  channel: '120363@newsletter',
  id: 'ID',
  serverId: 101,
  t: '1700000000',
  type: 'text',
  plaintext: bytes('plaintext'),
}
const sent: BinaryNode = { tag: 'message', attrs: { id: 'ID', to: '5511@s.whatsapp.net', type: 'text' } }

const SHAPES: Readonly<Record<string, BinaryNode>> = {
  'pair-device': stanzas.pairDevice('ID', ['<ref>', '<ref>']),
  'pair-success': stanzas.pairSuccess('ID', '1700000000', {
    identity: bytes('identity'),
    jid: '999:1@s.whatsapp.net',
    lid: '2111:1@lid',
  }),
  'primary hello of a link code': stanzas.primaryHello('ID', '1700000000', {
    ref: bytes('ref'),
    wrappedEphemeral: bytes('wrapped'),
    identity: bytes('identity'),
  }),
  success: stanzas.success('1700000000', '2111:1@lid'),
  'edge routing': stanzas.edgeRouting(bytes('routing')),
  'stream error restart': stanzas.streamError('restart'),
  'stream error device removed': stanzas.streamError('device_removed'),
  'stream error replaced': stanzas.streamError('replaced'),
  'stream error unavailable': stanzas.streamError('unavailable'),
  'stream error over a stanza': stanzas.unconfirmed({ tag: 'message', attrs: { id: 'ID' } }),
  failure: stanzas.failure(403),
  'iq result': stanzas.iqResult('ID', 's.whatsapp.net'),
  'iq error': stanzas.iqError('ID', 404, 'item-not-found'),
  'prekey bundle': stanzas.bundleUser('2999@lid', '1700000000', bundle),
  'prekeys are low': stanzas.lowPreKeys('ID', '1700000000', 4),
  'device added': stanzas.deviceChange(
    {
      id: 'ID',
      t: '1700000000',
      from: '999@s.whatsapp.net',
      lid: '2111@lid',
      names: ['999:1@s.whatsapp.net', '2111:1@lid'],
    },
    'add',
    1,
  ),
  'presence online': stanzas.presence('5511@s.whatsapp.net', { online: true }),
  'presence offline with last seen': stanzas.presence('5511@s.whatsapp.net', {
    online: false,
    lastSeen: 1_700_000_000,
  }),
  'presence offline and hidden': stanzas.presence('5511@s.whatsapp.net', { online: false, lastSeen: 'hidden' }),
  'presence offline and unknown': stanzas.presence('5511@s.whatsapp.net', { online: false }),
  'typing in a chat': stanzas.chatstate('5511@s.whatsapp.net', undefined, 'composing'),
  'recording in a group': stanzas.chatstate('120363@g.us', '2999@lid', 'recording'),
  'stopped typing': stanzas.chatstate('5511@s.whatsapp.net', undefined, 'paused'),
  'voice call': stanzas.callOffer(parties, '1700000000', false),
  'video call': stanzas.callOffer(parties, '1700000000', true),
  'call ended': stanzas.callEnd(parties, '1700000000', 'timeout'),
  ack: stanzas.ack(sent, { t: '1700000000' }),
  'ack with an error': stanzas.ack(sent, { t: '1700000000', error: '463' }),
  'ack of a channel post': stanzas.ack(
    { ...sent, attrs: { ...sent.attrs, to: '120363@newsletter' } },
    { t: '1700000000', server_id: '101' },
  ),
  'direct message': messages.message(direct, [{ type: 'pkmsg', body: bytes('pkmsg') }]),
  'direct message by hidden identifier': messages.message(
    { ...direct, from: '2999@lid', addressing: 'lid', senderAlt: '5511@s.whatsapp.net' },
    [{ type: 'msg', body: bytes('msg') }],
  ),
  'message of another own device': messages.message(
    { ...direct, recipient: '5522@s.whatsapp.net', recipientAlt: '2888@lid' },
    [{ type: 'msg', body: bytes('msg') }],
  ),
  'group message with sender key': messages.message(group, [
    { type: 'pkmsg', body: bytes('pkmsg') },
    { type: 'skmsg', body: bytes('skmsg'), mediaType: 'image' },
  ]),
  'message sent again': messages.message(direct, [{ type: 'pkmsg', body: bytes('pkmsg'), count: 2 }]),
  'edited message': messages.message({ ...direct, edit: '1' }, [{ type: 'msg', body: bytes('msg') }]),
  'peer message': messages.message({ ...head, from: '999@s.whatsapp.net', category: 'peer' }, [
    { type: 'msg', body: bytes('msg') },
  ]),
  'delivery receipt': messages.receipt(receipt),
  'read receipt in a group': messages.receipt({
    ...receipt,
    from: '120363@g.us',
    participant: '2999@lid',
    type: 'read',
  }),
  'sender receipt': messages.receipt({
    ...receipt,
    from: '999@s.whatsapp.net',
    recipient: '5511@s.whatsapp.net',
    type: 'sender',
  }),
  'retry receipt': messages.retryReceipt({
    ...receipt,
    count: 1,
    sentAt: '1700000000',
    registrationId: 4242,
    keys: stanzas.keyNodes(bundle),
  }),
  'channel message': messages.channelMessage(post),
  'channel live update': messages.channelUpdate('UPDATE', post),
  'channel followed': messages.update('ID', '1700000000', 'NotificationNewsletterJoin', {
    xwa2_notify_newsletter_on_join: { id: '1203630@newsletter' },
  }),
  'media put up again': messages.mediaRetry({
    id: 'ID',
    t: '1700000000',
    from: '999@s.whatsapp.net',
    chat: '5511@s.whatsapp.net',
    participant: undefined,
    encrypted: { body: bytes('body'), iv: bytes('iv') },
  }),
  'media is lost': messages.mediaRetry({
    id: 'ID',
    t: '1700000000',
    from: '999@s.whatsapp.net',
    chat: '5511@s.whatsapp.net',
    participant: undefined,
    encrypted: undefined,
  }),
}

/** Bytes as their text, so that the file is readable. */
function readable(part: BinaryNode): unknown {
  const { tag, attrs, content } = part
  if (content === undefined) return { tag, attrs }
  if (Array.isArray(content)) return { tag, attrs, content: content.map(readable) }
  const text = Buffer.from(content as Uint8Array)
  return {
    tag,
    attrs,
    content: text.includes(0) || text.length === 1 ? `hex:${text.toString('hex')}` : text.toString('utf8'),
  }
}

if (process.env.UPDATE_FIXTURES) {
  const shapes = Object.fromEntries(Object.entries(SHAPES).map(([name, shape]) => [name, readable(shape)]))
  writeFileSync(FIXTURES, `${JSON.stringify(shapes, null, 2)}\n`)
}

const pinned = JSON.parse(readFileSync(FIXTURES, 'utf8')) as Record<string, unknown>

describe('The recorded shapes of stanzas', () => {
  test.each(Object.keys(SHAPES))('pin %s', name => {
    expect(readable(SHAPES[name]!)).toEqual(pinned[name])
  })

  test('pin no other stanza', () => {
    expect(Object.keys(pinned).sort()).toEqual(Object.keys(SHAPES).sort())
  })
})

test('every shape survives the codec', async () => {
  for (const shape of Object.values(SHAPES)) {
    expect(readable(await decodeBinaryNode(encodeBinaryNode(shape)))).toEqual(readable(shape))
  }
})
