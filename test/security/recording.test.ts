import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { proto } from 'baileys'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { decodeCreds } from '../../src/platform/whatsapp/device/key-codec.ts'
import type { LinkedDevice } from '../../src/platform/platform.ts'
import { canary, type Canary, createScanner, filesBelow } from '../harness/canaries.ts'
import { unredacted, valuesOf } from '../harness/recorded-values.ts'
import { sayEverything } from '../harness/say-everything.ts'
import { until } from '../harness/until.ts'
import { deviceOf, say } from '../harness/wire-fuzz/wire.ts'
import { type Hosted, type Rig, startRig } from '../harness/whatsapp-rig.ts'

/** With digits, which no element name of the protocol has. */
const MARK = `zq7x3v9${randomBytes(4).toString('hex')}`
const SCENE = { digits: '999480000001', ana: '15550007777', bob: '15550008888', mark: MARK }
const CODE_NUMBER = '999480000002'

const folder = mkdtempSync(join(tmpdir(), 'postern-record-'))
const recordings = join(folder, 'made', 'when', 'needed')
const files = new Map<string, string>()
let rig: Rig
let number: Hosted
let canaries: Canary[]

const everything = (): string =>
  filesBelow(recordings)
    .map(path => readFileSync(path, 'utf8'))
    .join('')
interface Line {
  dir?: 'in' | 'out'
  tag?: string
  attrs?: Record<string, string>
  children?: Line[]
  text?: number
  bytes?: number
}
const lines = (): Line[] =>
  everything()
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Line)

beforeAll(async () => {
  const record = { folder: recordings, onFile: (session: string, path: string) => void files.set(path, session) }
  rig = await startRig({ platform: { record } })
  const codes: string[] = []
  const device = await rig.pair(SCENE.digits)
  const byCode = await pairByCode(codes)
  number = rig.host(device)
  await number.open()
  await sayEverything(rig, number, SCENE)
  sayStrangeThings()
  canaries = [
    canary('content', MARK),
    ...[SCENE.digits, SCENE.ana, SCENE.bob, CODE_NUMBER, '15559998888'].map(digits => canary('number', digits)),
    ...[SCENE.digits, SCENE.ana, SCENE.bob].map(digits =>
      canary('hidden id', rig.simulator.phone(digits).lid.split('@')[0]!),
    ),
    ...codes.map(code => canary('pairing code', code)),
    ...[device, byCode].flatMap(keysOf),
    ...[...number.storage.sent.values()].flatMap(secretsOf),
    ...rig.simulator.groups().map(({ jid }) => canary('group', jid.split('@')[0]!)),
    ...rig.simulator.channels().map(({ jid }) => canary('channel', jid.split('@')[0]!)),
    ...rig.simulator
      .phone(SCENE.ana)
      .sent()
      .map(({ id }) => canary('message id', id)),
    canary('latitude', '48.137154009'),
  ]
  await until(() => lines().some(({ attrs }) => attrs?.['name(11)'] !== undefined))
  await until(() => unanswered(lines()).length === 0)
  await number.close()
})
afterAll(async () => {
  await rig.close()
  // A connection writes its last line after it has closed.
  const count = (what: string) => everything().split(what).length
  await until(() => count('"ended":true') === count('"purpose":'))
  rmSync(folder, { recursive: true, force: true })
})

async function pairByCode(codes: string[]): Promise<LinkedDevice> {
  const request = { method: 'code', phone: CODE_NUMBER } as const
  const onStep = (step: { kind: string; code?: string }): void => {
    if (step.kind !== 'code' || step.code === undefined) return
    codes.push(step.code)
    void rig.simulator.linkByCode(CODE_NUMBER, step.code)
  }
  return await rig.platform.pair(request, onStep, new AbortController().signal)
}

/** Beyond what phones do: content as the name of an element, of an attribute, and in every attribute. */
function sayStrangeThings(): void {
  const { network } = rig.simulator
  const wire = { network, device: deviceOf(network, SCENE.digits), sender: network.users.get(SCENE.ana)!, label: '' }
  const attributes = ['type', 'xmlns', 'reason', 'name', 'notify', 'class', 'edit', 'from_me', 'text', 'code', 'count']
  const attrs = Object.fromEntries(attributes.map(name => [name, MARK]))
  say(wire, { tag: 'notification', attrs: { ...attrs, id: MARK, from: `${SCENE.ana}@s.whatsapp.net` } })
  say(wire, { tag: 'presence', attrs: { ...attrs, [MARK]: MARK, [SCENE.bob]: SCENE.bob }, content: MARK })
  say(wire, { tag: MARK, attrs: { t: SCENE.bob, id: SCENE.bob, from: `${MARK}@lid` }, content: Buffer.from(MARK) })
}

function keysOf({ creds }: LinkedDevice): Canary[] {
  const { noiseKey, signedIdentityKey, signedPreKey, advSecretKey } = decodeCreds(creds)
  return [
    canary('noise key', noiseKey.private),
    canary('noise key', noiseKey.public),
    canary('identity key', signedIdentityKey.private),
    canary('identity key', signedIdentityKey.public),
    canary('pre-key', signedPreKey.keyPair.private),
    canary('companion key', Buffer.from(advSecretKey, 'base64')),
  ]
}

function secretsOf(encoded: Uint8Array): Canary[] {
  const { imageMessage, messageContextInfo } = proto.Message.decode(encoded)
  return [imageMessage?.mediaKey, messageContextInfo?.messageSecret].flatMap(key =>
    key && key.length > 0 ? [canary('media key or secret', key)] : [],
  )
}

interface Package {
  dependencies: { baileys: string }
}

const messagesIn = (said: Line[]): Line[] =>
  said.filter(({ dir, tag, children }) => dir === 'in' && tag === 'message' && children?.[0]?.tag === 'enc')

const unanswered = (said: Line[]): Line[] => {
  const receipts = said.filter(({ dir, tag }) => dir === 'out' && tag === 'receipt').map(({ attrs }) => attrs?.['id'])
  return messagesIn(said).filter(({ attrs }) => !receipts.includes(attrs?.['id']))
}

it('no content, key, name or number is in a recording, whatever is sent', () => {
  expect(canaries.length).toBeGreaterThan(40)
  expect(createScanner(canaries).inFiles(filesBelow(recordings))).toEqual([])
  expect(readdirSync(recordings).filter(name => /\d{9}/.test(name.replace(/^\d{8}T\d{6}/, '')))).toEqual([])
})

it('every recorded value is a placeholder, a length or a word of the protocol', () => {
  expect(new Set(lines().flatMap(line => [...valuesOf(line)])).size).toBeGreaterThan(100)
  expect(unredacted(everything())).toEqual([])
})

it('a recording shows both directions in their order, with the same name for a person throughout', () => {
  const said = lines()
  const tags = (dir: 'in' | 'out') => new Set(said.filter(line => line.dir === dir).map(({ tag }) => tag))
  expect([...tags('in')]).toEqual(
    expect.arrayContaining(['success', 'message', 'receipt', 'ack', 'notification', 'call', 'iq']),
  )
  expect([...tags('out')]).toEqual(expect.arrayContaining(['message', 'receipt', 'ack', 'iq', 'presence', 'chatstate']))
  expect(messagesIn(said).length).toBeGreaterThan(15)
  expect(unanswered(said)).toEqual([])
  const pinned = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as Package
  expect(said[0]).toMatchObject({ recording: 1, library: `baileys ${pinned.dependencies.baileys}` })
  expect(everything()).toContain('"purpose":"pairing"')
  expect(everything()).toContain('link_code_companion_reg')
})

it('only its owner can read a recording, and the log names the file of each session', () => {
  const paths = filesBelow(recordings)
  expect(paths.map(path => statSync(path).mode & 0o777)).toEqual(paths.map(() => 0o600))
  expect(statSync(recordings).mode & 0o777).toBe(0o700)
  expect([...files.keys()].sort()).toEqual(paths.sort())
  expect([...files.values()].filter(session => session.startsWith(SCENE.digits))).toHaveLength(1)
})

it('the scanner would find a canary', () => {
  const scanner = createScanner(canaries)
  for (const { bytes } of canaries)
    expect(scanner.inBytes('x', Buffer.concat([Buffer.from('{"a":"'), bytes]))).not.toEqual([])
})
