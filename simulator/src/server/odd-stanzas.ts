import { nowText } from '../clock.ts'
import { SERVER_JID } from '../jid.ts'
import { type BinaryNode, node } from '../wire/node.ts'
import type { LinkedDevice } from '../world/device.ts'
import type { Network } from '../world/network.ts'
import { push, transmit } from './outbox.ts'
import { stanzaId } from './stanzas.ts'

/** Stanzas that the platform sends rarely and few clients expect. */
export type OddStanza =
  /** The server pings the client. */
  | { readonly kind: 'ping' }
  /** A stanza with an unknown tag; it needs an ack like any other. */
  | { readonly kind: 'unknown_tag'; readonly tag: string; readonly from: string }
  /** An unencrypted message of a person, which only the server could have written. */
  | { readonly kind: 'plaintext'; readonly from: string; readonly content: Uint8Array }

/** Sends the stanza to a device; returns its id. */
export function sayOddly(network: Network, device: LinkedDevice, odd: OddStanza): string {
  const id = stanzaId(network)
  if (odd.kind === 'ping')
    transmit(network, device, node('iq', { from: SERVER_JID, type: 'get', xmlns: 'urn:xmpp:ping', id }))
  else push(network, device, stanzaOf(network, odd, id))
  return id
}

function stanzaOf(network: Network, odd: Exclude<OddStanza, { kind: 'ping' }>, id: string): BinaryNode {
  const { from } = odd
  const t = nowText(network)
  if (odd.kind === 'unknown_tag') return node(odd.tag, { from, id, t })
  return node('message', { from, id, t, type: 'text' }, [node('plaintext', {}, odd.content)])
}
