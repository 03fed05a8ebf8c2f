import { describe, expect, it } from 'vitest'
import { type BinaryNode, node } from '../wire/node.ts'
import { confirms } from './confirmation.ts'

const [ADA, OWN, GROUP] = ['15550001111:3@lid', '999@s.whatsapp.net', '120363000000000001@g.us']
const ENC = [node('enc', { type: 'msg' }, Buffer.alloc(1))]
const message = (attrs: Record<string, string>, content: BinaryNode[] = ENC) =>
  node('message', { id: 'X', type: 'text', ...attrs }, content)
const receipt = (attrs: Record<string, string>) => node('receipt', { id: 'X', ...attrs })
const ack = (attrs: Record<string, string>, of = 'message') => node('ack', { id: 'X', class: of, ...attrs })

const DIRECT = message({ from: ADA })
const IN_GROUP = message({ from: GROUP, participant: ADA })
const OWN_IN_GROUP = message({ from: GROUP, participant: OWN })
const COPY = message({ from: OWN, recipient: ADA })
const PEER = message({ from: OWN, category: 'peer' })
const POST = message({ from: '1@newsletter' }, [node('plaintext', {}, Buffer.alloc(1))])
const STUB = message({ from: ADA }, [node('unavailable', { type: 'view_once' })])
const COPIED_STUB = message({ from: OWN, recipient: ADA }, [node('unavailable')])
const STATUS = message({ from: 'status@broadcast', participant: ADA })
const NOTICE = node('notification', { id: 'X', from: ADA, type: 'picture' })
const IDENTITY = node('notification', { id: 'X', from: ADA, type: 'encrypt' }, [node('identity')])
const CALL = node('call', { id: 'X', from: ADA })
const UNKNOWN = node('appdata', { id: 'X', from: ADA })
const APP_DATA = node('appdata', { id: 'X', from: OWN, category: 'peer' })

const PERSON = '15550001111@lid'
const accepted: Array<[string, BinaryNode, BinaryNode]> = [
  ['a receipt to the device that wrote', DIRECT, receipt({ to: ADA })],
  ['an inactive receipt', DIRECT, receipt({ to: ADA, type: 'inactive' })],
  ['an ack with the type', DIRECT, ack({ to: ADA, type: 'text' })],
  ['an ack without the type', DIRECT, ack({ to: ADA })],
  ['a refusal', DIRECT, ack({ to: ADA, error: '500' })],
  ['a receipt in a group with its author', IN_GROUP, receipt({ to: GROUP, participant: ADA })],
  [
    'a sender receipt of an own message in a group',
    OWN_IN_GROUP,
    receipt({ to: GROUP, participant: OWN, type: 'sender' }),
  ],
  ['a sender receipt of an own copy', COPY, receipt({ to: OWN, type: 'sender', recipient: PERSON })],
  ['a refusal of an own copy', COPY, ack({ to: OWN, recipient: ADA, error: '500' })],
  ['a receipt between devices', PEER, receipt({ to: OWN, type: 'peer_msg' })],
  ['an ack of a post', POST, ack({ to: '1@newsletter', type: 'text' })],
  ['an ack of a stub', STUB, ack({ to: ADA })],
  ['an ack of a copied stub', COPIED_STUB, ack({ to: OWN, recipient: ADA })],
  ['a receipt of a status', STATUS, receipt({ to: 'status@broadcast', participant: ADA })],
  ['an ack of a notification', NOTICE, ack({ to: ADA, type: 'picture' }, 'notification')],
  ['an ack of a new identity without type', IDENTITY, ack({ to: ADA }, 'notification')],
  ['an ack of a call', CALL, ack({ to: ADA }, 'call')],
  ['an ack of a stanza with an unknown tag', UNKNOWN, ack({ to: ADA }, 'appdata')],
  ['a receipt of app data', APP_DATA, receipt({ to: OWN, category: 'peer_appdata' })],
]
const rejected: Array<[string, BinaryNode, BinaryNode]> = [
  ['an ack of app data', APP_DATA, ack({ to: OWN }, 'appdata')],
  ['a receipt to the person instead of the device', DIRECT, receipt({ to: PERSON })],
  ['a receipt without an addressee', DIRECT, receipt({})],
  ['a retry receipt', DIRECT, receipt({ to: ADA, type: 'retry' })],
  ['a read receipt', DIRECT, receipt({ to: ADA, type: 'read' })],
  ['a sender receipt for another person’s message', DIRECT, receipt({ to: ADA, type: 'sender' })],
  ['an ack with another type', DIRECT, ack({ to: ADA, type: 'media' })],
  ['a receipt in a group without the author', IN_GROUP, receipt({ to: GROUP })],
  ['a receipt in a group to its author', IN_GROUP, receipt({ to: ADA })],
  ['an ack in a group without the author', IN_GROUP, ack({ to: GROUP })],
  ['a plain receipt of an own copy', COPY, receipt({ to: OWN })],
  ['a sender receipt of an own copy without an addressee', COPY, receipt({ type: 'sender', recipient: PERSON })],
  ['a sender receipt of an own copy with a device', COPY, receipt({ to: OWN, type: 'sender', recipient: ADA })],
  ['a sender receipt of an own copy without recipient', COPY, receipt({ to: OWN, type: 'sender' })],
  ['a bare ack of an own copy', COPY, ack({ to: OWN, recipient: ADA })],
  ['an ack of an own copy without recipient', COPY, ack({ to: OWN, error: '500' })],
  ['a plain receipt between devices', PEER, receipt({ to: OWN })],
  ['a receipt between devices with a recipient', PEER, receipt({ to: OWN, type: 'peer_msg', recipient: PERSON })],
  ['a receipt of a post', POST, receipt({ to: '1@newsletter' })],
  ['a receipt of a stub', STUB, receipt({ to: ADA })],
  ['a refusal of a status', STATUS, ack({ to: 'status@broadcast', participant: ADA, error: '500' })],
  ['an ack of a notification without type', NOTICE, ack({ to: ADA }, 'notification')],
  ['an ack of another class', CALL, ack({ to: ADA }, 'notification')],
  ['a receipt of a call', CALL, receipt({ to: ADA })],
  ['a receipt of a stanza with an unknown tag', UNKNOWN, receipt({ to: ADA })],
]

describe('confirms', () => {
  const isOwn = (jid: string) => jid === OWN
  it.each(accepted)('accepts %s', (_name, stanza, answer) => expect(confirms(stanza, answer, isOwn)).toBe(true))
  it.each(rejected)('rejects %s', (_name, stanza, answer) => expect(confirms(stanza, answer, isOwn)).toBe(false))
})
