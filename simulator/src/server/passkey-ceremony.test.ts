import { createHash, randomBytes } from 'node:crypto'
import { proto } from 'baileys'
import { beforeEach, expect, it } from 'vitest'
import { SERVER_JID } from '../jid.ts'
import { assertionOf, passkeyOf } from '../passkey/software-key.ts'
import { userOf } from '../people.ts'
import { generateKeyPair } from '../signal/curve.ts'
import { derive, hmac } from '../signal/derive.ts'
import { startOpenSimulator } from '../simulator.ts'
import { type BinaryNode, bytesOf, child, node, textOf } from '../wire/node.ts'
import type { Pairing } from '../world/pairing.ts'
import { Ceremony } from './passkey-ceremony.ts'

const DIGITS = '999557277539'
const simulator = await startOpenSimulator()
const { network } = simulator
await simulator.close()
const key = passkeyOf(userOf(network, DIGITS))
const ADV_SECRET = randomBytes(32)
const PLATFORM_TYPE = proto.DeviceProps.PlatformType.CHROME

/** A client that sends arbitrary stanzas and records the responses. */
class Client {
  readonly received: BinaryNode[] = []
  readonly newSecrets: Buffer[] = []
  readonly nonce = randomBytes(32)
  readonly #ceremony: Ceremony

  constructor() {
    const deviceProps = proto.DeviceProps.encode({ platformType: PLATFORM_TYPE }).finish()
    const connection = {
      payload: { devicePairingData: { deviceProps } },
      send: (stanza: BinaryNode) => void this.received.push(stanza),
    }
    const pairing = { connection, keys: { noiseKey: randomBytes(32), identityKey: randomBytes(32) } }
    this.#ceremony = new Ceremony(network, pairing as unknown as Pairing, {
      digits: DIGITS,
      advSecret: ADV_SECRET,
      demand: 'asked',
      onKeys: secret => void this.newSecrets.push(secret),
    })
    this.#ceremony.begin()
  }

  get code(): string | undefined {
    return this.#ceremony.code
  }

  confirm(): void {
    this.#ceremony.handle(node('ack', { id: this.received.findLast(({ tag }) => tag === 'notification')!.attrs.id }))
  }

  /** What the server answers: a result, or the code of an error. */
  ask(type: 'get' | 'set', part: BinaryNode, attrs: Record<string, string> = {}): BinaryNode | number {
    const before = this.received.length
    this.#ceremony.handle(node('iq', { id: 'id', to: SERVER_JID, xmlns: 'md', type, ...attrs }, [part]))
    const answer = this.received[before]!
    return answer.attrs.type === 'error' ? Number(child(answer, 'error')!.attrs.code) : answer
  }

  ref(): string {
    return textOf(child(this.ask('get', node('ref')) as BinaryNode, 'ref'))
  }

  challenge(): string {
    const answer = this.ask('get', node('passkey_request_options')) as BinaryNode
    return JSON.parse(textOf(child(answer, 'passkey_request_options'))).challenge
  }

  prologue(ref: string, { deviceType = PLATFORM_TYPE, proof = 'right' as 'right' | 'wrong' | 'none' } = {}) {
    const { public: publicKey } = generateKeyPair()
    const identity = proto.CompanionEphemeralIdentity.encode({ publicKey, deviceType, ref }).finish()
    const hash = createHash('sha256').update(identity).update(this.nonce).digest()
    const payload = proto.ProloguePayload.encode({
      companionEphemeralIdentity: identity,
      commitment: { hash },
    }).finish()
    const proofKey = derive(ADV_SECRET, Buffer.alloc(0), 'shortcake-passkey-handoff-v1', 32)
    const proven = proof === 'right' ? hmac(proofKey, payload) : randomBytes(32)
    return node('passkey_prologue', {}, [
      node('credential_id', {}, key.credentialId),
      node('webauthn_assertion', {}, Buffer.from(JSON.stringify(assertionOf(key, this.challenge())))),
      node('prologue_payload', {}, payload),
      ...(proof === 'none' ? [] : [node('pairing_handoff_proof', {}, proven)]),
    ])
  }
}

let client: Client
beforeEach(() => {
  client = new Client()
})

it('the server rejects every step until the client confirms the request', () => {
  expect(client.ask('get', node('ref'))).toBe(406)
  client.confirm()
  expect(client.ref()).toMatch(/^2@/)
})

it.each<Record<string, string>>([{ xmlns: 'w' }, { to: 'x' }])(
  'the server rejects a step with a wrong namespace or addressee: %o',
  attrs => {
    client.confirm()
    expect(client.ask('get', node('ref'), attrs)).toBe(400)
  },
)

it.each(['right', 'none'] as const)(
  'the server accepts a prologue with the proof "%s", and the phone continues',
  proof => {
    client.confirm()
    expect(client.ask('set', client.prologue(client.ref(), { proof }))).toMatchObject({ attrs: { type: 'result' } })
    expect(client.received.at(-1)).toMatchObject({ tag: 'notification', attrs: { type: 'crsc_continuation' } })
    client.confirm()
    expect(client.ask('set', node('companion_nonce', {}, client.nonce))).toMatchObject({ attrs: { type: 'result' } })
    expect(client.code).toMatch(/^[1-9A-Z]{4}-[1-9A-Z]{4}$/)
  },
)

it('the server rejects a prologue with a wrong proof, another kind of device or an invented reference', () => {
  client.confirm()
  expect(client.ask('set', client.prologue(client.ref(), { proof: 'wrong' }))).toBe(403)
  expect(client.ask('set', client.prologue(client.ref(), { deviceType: 2 }))).toBe(400)
  expect(client.ask('set', client.prologue('2@made-up'))).toBe(409)
  expect(client.received.some(({ attrs }) => attrs.type === 'crsc_continuation')).toBe(false)
})

it('a reference is valid for one prologue, and a challenge for one attempt', () => {
  client.confirm()
  const ref = client.ref()
  expect(client.ask('set', client.prologue(ref, { proof: 'wrong' }))).toBe(403)
  expect(client.ask('set', client.prologue(ref))).toBe(409)
  const spent = client.prologue(client.ref())
  client.ask('set', client.prologue(client.ref(), { proof: 'wrong' }))
  expect(client.ask('set', spent)).toBe(410)
  expect(bytesOf(child(spent, 'credential_id'))).toEqual(key.credentialId)
})

it('a nonce that does not match the commitment ends the ceremony', () => {
  client.confirm()
  client.ask('set', client.prologue(client.ref()))
  client.confirm()
  expect(client.ask('set', node('companion_nonce', {}, randomBytes(32)))).toBe(403)
  expect(client.ask('set', node('companion_nonce', {}, client.nonce))).toBe(410)
})

it('neither keys that the phone cannot decrypt nor steps out of order link the device', () => {
  client.confirm()
  expect(client.ask('set', node('companion_nonce', {}, client.nonce))).toBe(400)
  client.ask('set', client.prologue(client.ref()))
  client.confirm()
  expect(client.ask('set', node('encrypted_pairing_request', {}, randomBytes(100)))).toBe(400)
  client.ask('set', node('companion_nonce', {}, client.nonce))
  const garbled = { encryptedPayload: randomBytes(120), iv: randomBytes(12) }
  const encrypted = Buffer.from(proto.EncryptedPairingRequest.encode(garbled).finish())
  expect(client.ask('set', node('encrypted_pairing_request', {}, encrypted))).toBe(403)
  expect(client.newSecrets).toEqual([])
})
