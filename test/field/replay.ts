import { randomBytes } from 'node:crypto'
import type { BinaryNode } from '@postern/simulator/wire/node'
import { proto } from 'baileys'
import type { Shape } from '#recorder/shape'
import { until } from '../harness/until.ts'
import { deviceOf, padded, say, sealed, sealedForGroup, type Wire } from '../harness/wire-fuzz/wire.ts'
import type { Hosted, Rig } from '../harness/whatsapp-rig.ts'
import type { FieldRig } from './field-rig.ts'
import { answersTo, isReadable, type Line, type ReadRecording, readRecording, saidByServer } from './read-recording.ts'
import { StandIns } from './stand-ins.ts'

export interface Difference {
  stanza: string
  recorded: Shape[]
  answered: Shape[]
}

export interface Replayed {
  stanzas: number
  answered: number
  differences: Difference[]
  links: Hosted['links']
}

/** Sends the received stanzas of a recording to a sandbox number, and compares its answers with the recorded ones. */
export async function replay(field: FieldRig, path: string): Promise<Replayed> {
  const { rig } = field
  const recording = readRecording(path)
  const stanzas = saidByServer(recording.lines)
  const own = { digits: field.digits(), recordedDevice: ownDeviceOf(recording), device: 0 }
  const standIns = new StandIns(rig, own, stanzas)
  const number = await rig.link(own.digits)
  own.device = number.device.device
  number.links.length = 0
  sayAll(rig, own.digits, recording, standIns)
  const compare = () => differencesOf(recording, stanzas, field.recordingOf(own.digits).lines)
  await until(() => compare().length === 0).catch(() => undefined)
  const differences = compare()
  await number.close()
  const answered = stanzas.filter(line => answersTo(line, recording.lines).length > 0).length
  return { stanzas: stanzas.length, answered, differences, links: number.links }
}

const ownDeviceOf = ({ lines }: ReadRecording): string =>
  /:(\d+)@/.exec(lines.find(({ tag }) => tag === 'success')?.attrs?.['lid'] ?? '')?.[1] ?? '0'

function sayAll(rig: Rig, digits: string, { lines }: ReadRecording, standIns: StandIns): void {
  const { network } = rig.simulator
  for (const line of saidByServer(lines)) {
    const sender = standIns.person(line.attrs?.['participant'] ?? line.attrs?.['from']) ?? network.users.get(digits)!
    const wire: Wire = { network, device: deviceOf(network, digits), sender, label: '' }
    say(wire, stanzaOf(line, standIns, wire, isReadable(line, lines)))
  }
}

function stanzaOf(line: Line, standIns: StandIns, wire: Wire, readable: boolean): BinaryNode {
  const stanza = filled(line, standIns)
  if (line.tag !== 'message' || !readable || !Array.isArray(stanza.content)) return stanza
  const others = stanza.content.filter(({ tag }) => tag !== 'enc')
  const recorded = stanza.content.filter(({ tag }) => tag === 'enc')
  if (recorded.length === 0) return stanza
  const isGroup = recorded.some(({ attrs }) => attrs['type'] === 'skmsg')
  const plain = padded(proto.Message.encode(contentOf(stanza)).finish())
  const parts = isGroup ? sealedForGroup(wire, stanza.attrs['from'] ?? '', plain) : [sealed(wire, plain)]
  // The retry count, the kind of file and other attributes of the real stanza.
  const { type: _type, ...rest } = recorded.at(-1)!.attrs
  const content = parts.map(part => ({ ...part, attrs: { ...rest, ...part.attrs } }))
  return { ...stanza, content: [...others, ...content] }
}

/** A copy of what another own device has sent names its destination; a message between own devices names none. */
function contentOf({ attrs }: BinaryNode): proto.IMessage {
  const said: proto.IMessage = { conversation: 'x' }
  if (attrs['category'] === 'peer') return { protocolMessage: {} }
  const { recipient } = attrs
  return recipient === undefined ? said : { deviceSentMessage: { destinationJid: recipient, message: said } }
}

function filled(shape: Shape, standIns: StandIns): BinaryNode {
  const attrs = Object.fromEntries(
    Object.entries(shape.attrs ?? {})
      .filter(([name]) => !name.startsWith('name('))
      .map(([name, value]) => [name, valueOf(value, standIns)]),
  )
  const tag = shape.tag.startsWith('name(') ? 'unknown' : shape.tag
  if (shape.bytes !== undefined) return { tag, attrs, content: randomBytes(shape.bytes) }
  if (shape.text !== undefined) return { tag, attrs, content: 'x'.repeat(shape.text) }
  if (shape.children === undefined) return { tag, attrs }
  const content = shape.children.flatMap(child =>
    Array.from({ length: child.times ?? 1 }, () => filled(child, standIns)),
  )
  return { tag, attrs, content }
}

function valueOf(value: string, standIns: StandIns): string {
  const [, kind, length] = /^(time|other)\((\d+)\)$/.exec(value) ?? []
  if (kind === 'time') return String(Date.now()).padEnd(Number(length), '0').slice(0, Number(length))
  if (kind === 'other') return 'x'.repeat(Number(length))
  if (/^id#\d+$/.test(value)) return `F1E1D${value.slice(3).padStart(15, '0')}`
  return standIns.jid(value) ?? value
}

/** Stanzas arrive in the order in which they were sent: the n-th recorded stanza is the n-th of the replay. */
function differencesOf({ lines, expectations }: ReadRecording, then: Line[], received: Line[]): Difference[] {
  const now = saidByServer(received)
  return then.flatMap((line, n) => {
    const expected = expectations.find(({ id }) => id === line.attrs?.['id'])?.answers
    const recorded = sorted(expected ?? answersTo(line, lines))
    const arrived = now[n]
    const renamed =
      arrived === undefined ? [] : answersTo(arrived, received).map(shape => inWordsOf(shape, arrived, line))
    const answered = sorted(renamed)
    if (JSON.stringify(recorded) === JSON.stringify(answered)) return []
    return [{ stanza: `${line.tag} ${JSON.stringify(line.attrs)}`, recorded, answered }]
  })
}

/** An answer of the replay in the placeholders of the recording, which its stanza has in the same attributes. */
function inWordsOf(shape: Shape, now: Line, then: Line): Shape {
  const words = new Map<string, string>()
  for (const [name, value] of Object.entries(now.attrs ?? {})) words.set(value, then.attrs?.[name] ?? value)
  const bare = (jid: string): string => jid.replace(/:\d+@/, '@')
  const attrs = Object.entries(shape.attrs ?? {}).map(([name, value]) => {
    const whole = words.get(value)
    const person = [...words].find(([known]) => bare(known) === bare(value))?.[1]
    return [name, whole ?? (person === undefined ? value : bare(person))]
  })
  return { ...shape, attrs: Object.fromEntries(attrs) as Record<string, string> }
}

/** Each answer once, in a fixed order. Whether the device counted as online then makes no difference. */
function sorted(shapes: readonly Shape[]): Shape[] {
  const texts = shapes.map(({ tag, attrs = {}, children }) => {
    const kept = Object.entries(attrs).filter(([name, value]) => !(name === 'type' && value === 'inactive'))
    const ordered = Object.fromEntries(kept.sort(([a], [b]) => a.localeCompare(b)))
    return JSON.stringify({ tag, attrs: ordered, ...(children === undefined ? {} : { children }) })
  })
  return [...new Set(texts)].sort().map(text => JSON.parse(text) as Shape)
}
