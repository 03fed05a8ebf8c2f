import { type BinaryNode, node } from '@postern/simulator/wire/node'
import { withStrangeAttributes } from './attributes.ts'
import {
  aboutAnother,
  anyContent,
  emptyContent,
  enveloped,
  fileSomewhere,
  huge,
  messageOf,
  mutated,
  quoting,
  repeating,
  unknownFields,
  wronglyTyped,
} from './contents.ts'
import { bytesField } from './proto-bytes.ts'
import type { Random } from './random.ts'
import type { Scene } from './scene.ts'
import { strangeText } from './strange-values.ts'
import { ownJid, padded, say, sealed, sealedForGroup, senderJid, senderLid } from './wire.ts'

/** Creates one kind of hostile message; `scene` is all that it may know. */
export type Hostile = (scene: Scene) => void

const words = (random: Random): Buffer => bytesField(1, `hostile ${random.int(1e9)}`)

function bare({ id, random }: Scene): Record<string, string> {
  return { id, t: String(Math.floor(Date.now() / 1000)), type: 'text', notify: strangeText(random) }
}

function head(scene: Scene): Record<string, string> {
  const { wire, random } = scene
  const named = bare(scene)
  if (random.chance(0.5)) return { ...named, from: senderJid(wire), addressing_mode: 'pn', sender_lid: senderLid(wire) }
  return { ...named, from: senderLid(wire), addressing_mode: 'lid', sender_pn: senderJid(wire) }
}

function inGroup(scene: Scene): Record<string, string> {
  const addressed = { ...bare(scene), addressing_mode: 'lid' }
  return { ...addressed, from: scene.group, participant: senderLid(scene.wire), participant_pn: senderJid(scene.wire) }
}

/** Sends content in a direct chat, in a group, to a list, or as a status. */
function sendContent(scene: Scene, content: Uint8Array): void {
  const { random, wire } = scene
  const where = random.int(10)
  if (where < 6) return say(wire, node('message', head(scene), [sealed(wire, padded(content))]))
  const chat = where < 8 ? scene.group : where === 8 ? 'status@broadcast' : '12345678@broadcast'
  const enc = where === 9 ? [sealed(wire, padded(content))] : sealedForGroup(wire, chat, padded(content))
  say(wire, node('message', { ...inGroup(scene), from: chat }, enc))
}

const content =
  (make: (scene: Scene) => Uint8Array): Hostile =>
  scene =>
    sendContent(scene, make(scene))

/** Contents whose bytes are a protobuf, of every kind. */
export const CONTENT_CLASSES: Readonly<Record<string, Hostile>> = {
  'content: any': content(({ random }) => anyContent(random)),
  'content: several': content(({ random }) => messageOf(random, 'Message')),
  'content: empty': content(({ random }) => emptyContent(random)),
  'content: in envelopes': content(({ random }) => {
    const inside = random.pick([anyContent, emptyContent, words])(random)
    return enveloped(random, inside, 1 + random.int(5))
  }),
  'content: deep': content(({ random }) => {
    const depth = random.pick([20, 60, 110, 500])
    return random.chance(0.5) ? quoting(depth) : enveloped(random, words(random), depth)
  }),
  'content: repeated': content(({ random }) => repeating(random, random.pick([10, 100, 3_000]))),
  'content: huge': content(({ random }) => huge(random, random.pick([5_000, 70_000, 300_000]))),
  'content: about another message': content(({ random, ids }) => {
    const about = aboutAnother(random, ids)
    return random.chance(0.3) ? enveloped(random, about, 1) : about
  }),
  'content: a file somewhere': content(({ random }) => fileSomewhere(random)),
  'bytes: mutated': content(({ random }) => mutated(random)),
  'bytes: wrong wire types': content(({ random }) => wronglyTyped(random)),
  'bytes: unknown fields': content(({ random }) => unknownFields(random)),
  'bytes: none that mean anything': content(({ random }) => random.bytes(random.int(64))),
}

/** Encrypted correctly, with wrong padding. */
const badPadding: Hostile = scene => {
  const { random, wire } = scene
  const plaintext = random.pick([
    () => Buffer.alloc(0),
    () => Buffer.from([0]),
    () => Buffer.from([255]),
    () => Buffer.concat([words(random), Buffer.from([200])]),
    () => Buffer.concat([words(random), Buffer.from([0])]),
    () => random.bytes(1 + random.int(20)),
  ])()
  say(wire, node('message', head(scene), [sealed(wire, plaintext)]))
}

function garbledEnc({ random, wire, group }: Scene): BinaryNode {
  const good = sealed(wire, padded(words(random)))
  const body = Buffer.from(good.content as Uint8Array)
  const garbled = random.pick([
    () => body.subarray(0, random.int(body.length)),
    () => random.bytes(random.int(100)),
    () => Buffer.concat([body, random.bytes(3)]),
    () => Buffer.from(body.map((byte, i) => (i % 7 === 3 ? byte ^ 0xff : byte))),
    () => Buffer.alloc(0),
  ])
  return random.pick<() => BinaryNode>([
    () => node('enc', { ...good.attrs }, garbled()),
    () =>
      node('enc', { v: '2', type: random.pick(['msg', 'pkmsg', 'skmsg', 'msmsg', 'hsm', 'frskmsg', '']) }, garbled()),
    () => node('enc', { v: strangeText(random), type: good.attrs.type }, body),
    () => node('enc', { type: strangeText(random) }, body),
    () => node('enc', {}, body),
    () => node('enc', { ...good.attrs, count: strangeText(random) }, garbled()),
    () => node('enc', { ...good.attrs }, strangeText(random)),
    () => node('enc', { ...good.attrs }, [node('enc', { ...good.attrs }, body)]),
    () => node('enc', { ...good.attrs }),
    () => sealedForGroup(wire, group, padded(words(random))).at(-1)!,
  ])()
}

function withoutEnc({ random }: Scene): BinaryNode[] | undefined {
  return random.pick<() => BinaryNode[] | undefined>([
    () => undefined,
    () => [],
    () => [node('unavailable', { type: random.pick(['view_once', 'bot_unavailable_fanout', strangeText(random)]) })],
    () => [node('verified_name', {}, random.bytes(20))],
    () => [node(strangeText(random) || 'x', {}, random.bytes(5))],
    () => [node('meta', { [strangeText(random) || 'x']: 'y' }), node('bot', {}, [node('enc', {}, random.bytes(9))])],
  ])()
}

/** Errors around the content: its encryption, or a missing encryption. */
export const ENVELOPE_CLASSES: Readonly<Record<string, Hostile>> = {
  'enc: bad padding': badPadding,
  'enc: garbled': scene => {
    const attrs = scene.random.chance(0.7) ? head(scene) : inGroup(scene)
    say(scene.wire, node('message', attrs, [garbledEnc(scene)]))
  },
  'enc: none': scene => say(scene.wire, node('message', head(scene), withoutEnc(scene))),
  'enc: several': scene => {
    const { random, wire } = scene
    const parts = Array.from({ length: 2 + random.int(3) }, () =>
      random.chance(0.6) ? sealed(wire, padded(anyContent(random))) : garbledEnc(scene),
    )
    say(wire, node('message', head(scene), parts))
  },
  'enc: none, in plain text': scene => {
    const { random, wire } = scene
    const plain = node('plaintext', {}, random.pick([anyContent, words, emptyContent])(random))
    const attrs = random.pick([
      head(scene),
      inGroup(scene),
      { ...head(scene), from: ownJid(wire) },
      { ...head(scene), from: ownJid(wire), recipient: senderJid(wire) },
    ])
    say(wire, node('message', attrs, random.chance(0.5) ? [plain] : [sealed(wire, padded(words(random))), plain]))
  },
}

/** Errors of the stanza: its attributes, its sender, its id. */
export const STANZA_CLASSES: Readonly<Record<string, Hostile>> = {
  'stanza: attributes': scene => {
    const attrs = scene.random.chance(0.6) ? head(scene) : inGroup(scene)
    const stanza = node('message', attrs, [sealed(scene.wire, padded(words(scene.random)))])
    say(scene.wire, withStrangeAttributes(scene.random, stanza))
  },
  'stanza: wrong sender': scene => {
    const { random, wire, others } = scene
    const enc = [sealed(wire, padded(words(random)))]
    const other = random.pick(others)
    const attrs = random.pick<Record<string, string>>([
      { ...inGroup(scene), participant: other.lid, participant_pn: other.jid },
      { ...inGroup(scene), participant: other.jid },
      { ...inGroup(scene), participant: ownJid(wire) },
      { ...inGroup(scene), from: scene.foreignGroup },
      { ...head(scene), from: other.jid },
      { ...head(scene), from: other.lid },
      { ...head(scene), from: ownJid(wire) },
      { ...head(scene), recipient: other.jid },
      { ...head(scene), participant: other.jid },
    ])
    say(wire, node('message', attrs, enc))
  },
  'stanza: an id used again': scene => {
    const { random, wire, ids } = scene
    const id = ids.length > 0 ? random.pick(ids) : scene.id
    const attrs = { ...(random.chance(0.5) ? head(scene) : inGroup(scene)), id }
    say(wire, node('message', attrs, [sealed(wire, padded(words(random)))]))
  },
}
