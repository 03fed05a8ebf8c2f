import { nowMs } from '../clock.ts'
import { SERVER_JID } from '../jid.ts'
import type { PreKeyBundle } from '../signal/session.ts'
import { type BinaryNode, integerBytes, node } from '../wire/node.ts'
import type { Network } from '../world/network.ts'
import type { Presence, TypingState } from '../world/person.ts'

/** An id for a stanza that the server creates. */
export function stanzaId(network: Pick<Network, 'clock' | 'sequence'>): string {
  return `${nowMs(network).toString(16).toUpperCase()}.${network.sequence.next()}`
}

export function pairDevice(id: string, refs: readonly string[]): BinaryNode {
  const content = refs.map(ref => node('ref', {}, Buffer.from(ref)))
  return node('iq', { from: SERVER_JID, type: 'set', xmlns: 'md', id }, [node('pair-device', {}, content)])
}

export interface PairSuccess {
  readonly identity: Uint8Array
  readonly jid: string
  readonly lid: string
}

export function pairSuccess(id: string, t: string, success: PairSuccess): BinaryNode {
  const content = [
    node('device-identity', {}, success.identity),
    node('device', { jid: success.jid, lid: success.lid }),
    node('platform', { name: 'android' }),
    node('jurisdiction', { cc: '55', iso: 'BR' }),
  ]
  return node('iq', { from: SERVER_JID, type: 'set', xmlns: 'md', id, t }, [node('pair-success', {}, content)])
}

export interface PrimaryHello {
  readonly ref: Uint8Array
  readonly wrappedEphemeral: Uint8Array
  readonly identity: Uint8Array
}

export function primaryHello(id: string, t: string, hello: PrimaryHello): BinaryNode {
  const content = [
    node('link_code_pairing_wrapped_primary_ephemeral_pub', {}, hello.wrappedEphemeral),
    node('primary_identity_pub', {}, hello.identity),
    node('link_code_pairing_ref', {}, hello.ref),
  ]
  return node('notification', { from: SERVER_JID, type: 'link_code_companion_reg', id, t }, [
    node('link_code_companion_reg', { stage: 'primary_hello' }, content),
  ])
}

export function success(t: string, lid: string): BinaryNode {
  return node('success', {
    t,
    lid,
    location: 'sim',
    props: '27',
    companion_enc_static: '',
    status: 'active',
    creation: t,
    abprops: '10',
  })
}

/** Routing information for the next connection; the client sends it back before its handshake. */
export function edgeRouting(info: Uint8Array): BinaryNode {
  return node('ib', { from: SERVER_JID }, [node('edge_routing', {}, [node('routing_info', {}, info)])])
}

/** Something of the account has changed in a way that the client has to read again. */
export function dirty(type: string, t: string): BinaryNode {
  return node('ib', { from: SERVER_JID }, [node('dirty', { type, timestamp: t })])
}

/** Until when the server accepts the client's version, in Unix seconds; `null` withdraws that. */
export function clientExpiration(t: number | null): BinaryNode {
  return node('ib', { from: SERVER_JID }, [node('client_expiration', t === null ? {} : { t: String(t) })])
}

export type StreamErrorKind =
  | 'restart'
  | 'device_removed'
  | 'replaced'
  | 'unavailable'
  | 'rate_limited'
  | 'account_locked'

export function streamError(kind: StreamErrorKind): BinaryNode {
  switch (kind) {
    case 'restart':
      return node('stream:error', { code: '515' })
    case 'device_removed':
      return node('stream:error', { code: '401' }, [node('conflict', { type: 'device_removed' })])
    case 'replaced':
      return node('stream:error', {}, [node('conflict', { type: 'replaced' })])
    case 'rate_limited':
      return node('stream:error', { code: '429' })
    case 'account_locked':
      return node('stream:error', {}, [node('conflict', { type: 'device_removed', reason: 'account_locked' })])
    case 'unavailable':
      return node('stream:error', { code: '503' })
  }
}

/** The last stanza to a device that has left this one unconfirmed. */
export function unconfirmed({ tag, attrs }: BinaryNode): BinaryNode {
  return node('stream:error', {}, [node('ack', { class: tag, id: attrs.id, type: attrs.type })])
}

export function failure(reason: number, attrs: Readonly<Record<string, string>> = {}): BinaryNode {
  return node('failure', { reason: String(reason), location: 'sim', ...attrs })
}

export function iqResult(id: string | undefined, from: string | undefined, content?: BinaryNode[]): BinaryNode {
  return node('iq', { from: from ?? SERVER_JID, type: 'result', id }, content)
}

export function iqError(id: string | undefined, code: number, text: string): BinaryNode {
  return node('iq', { from: SERVER_JID, type: 'error', id }, [node('error', { code: String(code), text })])
}

/** A device's public keys, in the form of both prekey responses and retry receipts. */
export function keyNodes(bundle: PreKeyBundle): BinaryNode[] {
  const { signedPreKey, preKey } = bundle
  const nodes = [
    node('type', {}, Buffer.from([5])),
    node('identity', {}, bundle.identityKey),
    node('skey', {}, [
      node('id', {}, integerBytes(signedPreKey.id, 3)),
      node('value', {}, signedPreKey.publicKey),
      node('signature', {}, signedPreKey.signature),
    ]),
  ]
  if (preKey) {
    nodes.push(node('key', {}, [node('id', {}, integerBytes(preKey.id, 3)), node('value', {}, preKey.publicKey)]))
  }
  return nodes
}

export function bundleUser(jid: string, t: string, bundle: PreKeyBundle): BinaryNode {
  const registration = node('registration', {}, integerBytes(bundle.registrationId, 4))
  return node('user', { jid, t }, [registration, ...keyNodes(bundle)])
}

export function lowPreKeys(id: string, t: string, count: number): BinaryNode {
  return node('notification', { from: SERVER_JID, type: 'encrypt', id, t }, [node('count', { value: String(count) })])
}

/** A person's devices have changed. The stanza names the device in both ways, since clients store either. */
export function deviceChange(head: DeviceChangeHead, action: 'add' | 'remove', keyIndex: number): BinaryNode {
  const { id, t, from, lid, names } = head
  const devices = names.map(jid => node('device', { jid, 'key-index': String(keyIndex) }))
  return node('notification', { from, lid, type: 'devices', id, t }, [
    node(action, { device_hash: `2:${id}` }, devices),
  ])
}

/** The devices of the number itself, after one was added or removed. */
export function accountDevices(
  head: Pick<DeviceChangeHead, 'id' | 't' | 'from'>,
  devices: readonly string[],
): BinaryNode {
  const listed = devices.map(jid => node('device', { jid }))
  return node('notification', { ...head, type: 'account_sync' }, [node('devices', { dhash: `2:${head.id}` }, listed)])
}

export interface DeviceChangeHead {
  readonly id: string
  readonly t: string
  readonly from: string
  readonly lid: string
  readonly names: readonly string[]
}

export function presence(from: string, state: Presence): BinaryNode {
  if (state.online) return node('presence', { from, type: 'available' })
  const last = state.lastSeen === 'hidden' ? 'deny' : state.lastSeen?.toString()
  return node('presence', { from, type: 'unavailable', last: last ?? 'none' })
}

export function chatstate(from: string, participant: string | undefined, state: TypingState): BinaryNode {
  const shown = state === 'paused' ? node('paused') : node('composing', state === 'recording' ? { media: 'audio' } : {})
  return node('chatstate', { from, participant }, [shown])
}

export interface CallParties {
  readonly id: string
  readonly callId: string
  readonly from: string
  readonly creator: string
  readonly callerPn: string | undefined
  readonly notify: string
}

function call(parties: CallParties, t: string, content: BinaryNode): BinaryNode {
  const { id, from, notify } = parties
  return node('call', { from, id, t, notify, platform: 'android' }, [content])
}

export function callOffer(parties: CallParties, t: string, video: boolean): BinaryNode {
  const media = [node('audio', { enc: 'opus', rate: '16000' })]
  if (video) media.push(node('video', { enc: 'vp8', dec: 'vp8' }))
  const attributes = { 'call-id': parties.callId, 'call-creator': parties.creator, caller_pn: parties.callerPn }
  return call(parties, t, node('offer', attributes, media))
}

export function callEnd(parties: CallParties, t: string, reason: string | undefined): BinaryNode {
  const attributes = { 'call-id': parties.callId, 'call-creator': parties.creator, caller_pn: parties.callerPn, reason }
  return call(parties, t, node('terminate', attributes))
}

export function ack(stanza: BinaryNode, extra: Record<string, string | undefined>): BinaryNode {
  const { id, to, type, participant, recipient } = stanza.attrs
  return node('ack', { class: stanza.tag, id, from: to, type, participant, recipient, ...extra })
}
