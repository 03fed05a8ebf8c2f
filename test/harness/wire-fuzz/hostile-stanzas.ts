import { type BinaryNode, node } from '@postern/simulator/wire/node'
import { withStrangeAttributes } from './attributes.ts'
import { anyContent } from './contents.ts'
import type { Hostile } from './hostile-messages.ts'
import type { Random } from './random.ts'
import type { Scene } from './scene.ts'
import { strangeText } from './strange-values.ts'
import { ownJid, say, senderJid, senderLid } from './wire.ts'

const now = (): string => String(Math.floor(Date.now() / 1000))
const from = ({ random, wire, group }: Scene): string => random.pick([senderJid(wire), senderLid(wire), group])

/** A name that the codec can encode: it cannot encode an empty tag. */
const anyTag = (random: Random): string => strangeText(random) || 'x'

const RECEIPT_TYPES = [
  '',
  'read',
  'played',
  'inactive',
  'sender',
  'read-self',
  'retry',
  'peer_msg',
  'server-error',
  'flurb',
]

function receipt(scene: Scene): BinaryNode {
  const { random, sentIds, ids, wire } = scene
  const known = [...sentIds, ...ids]
  const id = known.length > 0 && random.chance(0.8) ? random.pick(known) : scene.id
  const items = Array.from({ length: random.int(4) }, () =>
    node('item', { id: random.pick([id, strangeText(random)]) }),
  )
  const t = random.pick([now(), String(Date.now()), strangeText(random)])
  const type = random.pick(RECEIPT_TYPES)
  const retry = node('retry', { count: strangeText(random), id, t, v: '1' })
  const content = random.pick([
    undefined,
    [node('list', {}, items)],
    [retry, node('registration', {}, random.bytes(4))],
  ])
  const participant = random.chance(0.4) ? senderLid(wire) : undefined
  return node('receipt', { id, from: from(scene), t, type: type || undefined, participant }, content)
}

const CALL_TAGS = ['offer', 'offer_notice', 'terminate', 'reject', 'accept', 'relaylatency', 'preaccept', 'transport']

function call(scene: Scene): BinaryNode {
  const { random, wire, ids } = scene
  const id = random.pick([scene.id, strangeText(random), random.pick([...ids, scene.id])])
  const tag = random.chance(0.7) ? random.pick(CALL_TAGS) : anyTag(random)
  const attrs = { 'call-id': id, 'call-creator': senderLid(wire), caller_pn: senderJid(wire), reason: 'timeout' }
  const media = random.chance(0.3) ? [node('video', { [anyTag(random)]: 'x' })] : undefined
  const part = withStrangeAttributes(random, node(tag, random.chance(0.8) ? attrs : {}, media))
  const parts = random.pick<BinaryNode[] | undefined>([[part], [part, part], [], undefined])
  return node('call', { id: scene.id, from: senderLid(wire), t: random.pick([now(), strangeText(random)]) }, parts)
}

const NOTIFICATIONS: Readonly<Record<string, readonly string[]>> = {
  'w:gp2': ['create', 'subject', 'add', 'remove', 'promote', 'ephemeral', 'modify', 'description', 'locked', 'invite'],
  picture: ['set', 'delete', 'request'],
  devices: ['add', 'remove', 'update'],
  status: ['set'],
  mediaretry: ['encrypt', 'rmr', 'error'],
  privacy_token: ['tokens'],
  newsletter: ['live_updates', 'message', 'reaction', 'view', 'participant', 'update'],
  mex: ['update'],
  business: ['verified_name', 'remove'],
  account_sync: ['disappearing_mode', 'blocklist', 'devices'],
  contacts: ['update', 'modify', 'sync'],
}

function inside(random: Random, depth = 0): BinaryNode['content'] {
  if (depth > 2 || random.chance(0.3))
    return random.pick([undefined, random.bytes(random.int(40)), strangeText(random)])
  return Array.from({ length: random.int(3) }, () => {
    const tag = random.pick(['participant', 'body', 'message', 'plaintext', 'device', 'token', anyTag(random)])
    return withStrangeAttributes(
      random,
      node(tag, { jid: strangeText(random), id: 'x', t: '1' }, inside(random, depth + 1)),
    )
  })
}

function notification(scene: Scene): BinaryNode {
  const { random, wire, group } = scene
  const type = random.pick(Object.keys(NOTIFICATIONS))
  const child = node(random.pick(NOTIFICATIONS[type]!), { jid: senderJid(wire), hash: 'x' }, inside(random))
  const chat = type === 'w:gp2' ? group : type === 'newsletter' ? '120363000000000001@newsletter' : senderJid(wire)
  const attrs = { id: scene.id, from: chat, t: now(), type: random.chance(0.95) ? type : anyTag(random) }
  const participant = random.chance(0.5) ? senderLid(wire) : undefined
  return node('notification', { ...attrs, participant }, random.chance(0.9) ? [child] : undefined)
}

function chatState(scene: Scene): BinaryNode {
  const { random, wire } = scene
  const tag = random.pick(['composing', 'paused', 'recording', anyTag(random)])
  const state = node(tag, random.chance(0.3) ? { media: random.pick(['audio', strangeText(random)]) } : {})
  const attrs = { from: from(scene), participant: random.chance(0.5) ? senderLid(wire) : undefined }
  return node('chatstate', attrs, random.pick<BinaryNode[] | undefined>([[state], [state, state], [], undefined]))
}

function presence(scene: Scene): BinaryNode {
  const { random } = scene
  const type = random.pick([undefined, 'unavailable', 'available', strangeText(random)])
  return node('presence', {
    from: from(scene),
    type,
    last: random.pick([undefined, 'deny', now(), strangeText(random)]),
  })
}

function channelPost(scene: Scene): BinaryNode {
  const { random } = scene
  const channel = '120363000000000002@newsletter'
  const attrs = {
    id: scene.id,
    from: channel,
    t: now(),
    type: 'text',
    server_id: random.pick(['7', strangeText(random)]),
  }
  const plain = node('plaintext', {}, random.pick([anyContent(random), random.bytes(9)]))
  return node('message', attrs, random.pick<BinaryNode[] | undefined>([[plain], [plain, plain], undefined]))
}

/** Unknown tags, and answers without a question. Only the server itself sends stanzas that end a link. */
function unknown(scene: Scene): BinaryNode {
  const { random, wire } = scene
  const attrs = { id: random.pick([scene.id, strangeText(random)]), from: from(scene), to: ownJid(wire), t: now() }
  return random.pick<() => BinaryNode>([
    () => node(random.pick(['flurb', 'constructor', '__proto__', 'message2', 'enc']), attrs, inside(random)),
    () => node('iq', { ...attrs, type: random.pick(['result', 'error']) }, inside(random)),
    () => node('iq', { ...attrs, type: 'get', xmlns: random.pick(['urn:xmpp:ping', strangeText(random)]) }),
    () => node('ack', { ...attrs, class: random.pick(['message', 'receipt', strangeText(random)]), error: '479' }),
  ])()
}

const saying =
  (make: (scene: Scene) => BinaryNode): Hostile =>
  scene => {
    const stanza = make(scene)
    say(scene.wire, scene.random.chance(0.5) ? stanza : withStrangeAttributes(scene.random, stanza, ['class']))
  }

/** Every stanza that is not a message. */
export const OTHER_CLASSES: Readonly<Record<string, Hostile>> = {
  receipts: saying(receipt),
  calls: saying(call),
  notifications: saying(notification),
  'chat states': saying(chatState),
  presence: saying(presence),
  'channel posts': saying(channelPost),
  'unknown tags': saying(unknown),
}
