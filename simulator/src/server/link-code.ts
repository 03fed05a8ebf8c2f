import { randomBytes } from 'node:crypto'
import { behaviourOf } from '../behaviour.ts'
import { nowMs } from '../clock.ts'
import { SERVER_JID } from '../jid.ts'
import { userOf } from '../people.ts'
import { Refused } from '../refused.ts'
import { type BinaryNode, bytesOf, child, node, textOf } from '../wire/node.ts'
import type { Network } from '../world/network.ts'
import type { Pairing } from '../world/pairing.ts'
import type { HelloRefusal } from './pairing-faults.ts'
import { helloRefusal } from './pairing-habits.ts'
import { iqResult } from './stanzas.ts'

/** `Browser (OS)`, both well-known names. */
const DISPLAY = /^(?:Chrome|Edge|Firefox|IE|Opera|Safari) \((?:Windows|Mac OS|macOS|Linux|Ubuntu)\)$/
/** Browsers; other clients can be linked only by QR code. */
const PLATFORM_ID = /^[1-6]$/
const NONCE = Buffer.from([0])
const WRAPPED_BYTES = 80
const JID = /^(\d{5,20})@s\.whatsapp\.net$/

const BAD_REQUEST: HelloRefusal = { code: 400, text: 'bad-request' }
const NOT_FOUND: HelloRefusal = { code: 404, text: 'item-not-found' }

/** Answers the client's two steps of the pairing by code. */
export function answerLinkCode(network: Network, pairing: Pairing, stanza: BinaryNode): void {
  const step = child(stanza, 'link_code_companion_reg')!
  const { id, to } = stanza.attrs
  const refusal = step.attrs.stage === 'companion_hello' ? hello(network, pairing, step) : finish(pairing, step)
  if (refusal !== undefined) return pairing.connection.send(refused(id, refusal))
  const ref = pairing.linkCode?.ref ?? new Uint8Array()
  const answer = node('link_code_companion_reg', { stage: step.attrs.stage }, [node('link_code_pairing_ref', {}, ref)])
  pairing.connection.send(iqResult(id, to, step.attrs.stage === 'companion_hello' ? [answer] : undefined))
}

/** The client requests a code, which replaces the previous one. */
function hello(network: Network, pairing: Pairing, step: BinaryNode): HelloRefusal | undefined {
  const digits = JID.exec(step.attrs.jid ?? '')?.[1]
  const wrappedEphemeral = bytesOf(child(step, 'link_code_pairing_wrapped_companion_ephemeral_pub'))
  if (digits === undefined || wrappedEphemeral.length !== WRAPPED_BYTES || !isCommon(pairing, step)) return BAD_REQUEST
  if (behaviourOf(userOf(network, digits)) === 'absent') return NOT_FOUND
  const refusal = helloRefusal(network, pairing, digits)
  if (refusal !== undefined) return refusal
  const sinceMs = nowMs(network)
  pairing.linkCode = { jid: step.attrs.jid!, ref: randomBytes(16), wrappedEphemeral, sinceMs, finish: undefined }
  return undefined
}

function isCommon({ keys }: Pairing, step: BinaryNode): boolean {
  return (
    DISPLAY.test(textOf(child(step, 'companion_platform_display'))) &&
    PLATFORM_ID.test(textOf(child(step, 'companion_platform_id'))) &&
    bytesOf(child(step, 'companion_server_auth_key_pub')).equals(keys.noiseKey) &&
    bytesOf(child(step, 'link_code_pairing_nonce')).equals(NONCE)
  )
}

/** The client has responded to a phone; a response to a wrong phone ends the pairing. */
function finish(pairing: Pairing, step: BinaryNode): HelloRefusal | undefined {
  const { linkCode, keys } = pairing
  const isOurs = linkCode !== undefined && bytesOf(child(step, 'link_code_pairing_ref')).equals(linkCode.ref)
  if (isOurs && bytesOf(child(step, 'companion_identity_public')).equals(keys.identityKey)) {
    linkCode.finish?.(step)
    return undefined
  }
  pairing.linkCode = undefined
  pairing.pending?.refuse(new Refused('the client has responded to another phone'))
  return BAD_REQUEST
}

function refused(id: string | undefined, { code, text, backoff }: HelloRefusal): BinaryNode {
  const error = node('error', { code: String(code), text, backoff })
  return node('iq', { from: SERVER_JID, type: 'error', id }, [error])
}
