import { nowText } from '../clock.ts'
import { SERVER_JID } from '../jid.ts'
import { type BinaryNode, node } from '../wire/node.ts'
import type { LinkedDevice } from '../world/device.ts'
import type { Network } from '../world/network.ts'
import { push, transmit } from './outbox.ts'
import { stanzaId } from './stanzas.ts'

/** What the platform says now and then, and few clients expect. */
export type OddStanza =
  /** The server asks whether somebody is there. */
  | { readonly kind: 'ping' }
  /** A stanza with a tag that nobody has told of; it wants its ack like others. */
  | { readonly kind: 'unknown_tag'; readonly tag: string; readonly from: string }
  /** A message of a person that is not encrypted: anybody at the server could have written it. */
  | { readonly kind: 'plaintext'; readonly from: string; readonly content: Uint8Array }

/** Says it to a device; resolves nothing and waits for nothing. Returns the id of what was said. */
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
