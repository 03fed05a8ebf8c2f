import { type BinaryNode, S_WHATSAPP_NET } from 'baileys'
import type { PasskeyAssertion, PasskeyOptions } from '../../../../domain/passkey.ts'
import { parsePasskeyOptions } from '../../../../domain/passkey.ts'
import { bytesIn } from '../../wire/child-bytes.ts'

const part = (tag: string, content: Uint8Array): BinaryNode => ({ tag, attrs: {}, content })

const iq = (type: 'get' | 'set', content: BinaryNode): BinaryNode => ({
  tag: 'iq',
  attrs: { to: S_WHATSAPP_NET, type, xmlns: 'md' },
  content: [content],
})

export const optionsRequest = (): BinaryNode => iq('get', { tag: 'passkey_request_options', attrs: {} })
export const refRequest = (): BinaryNode => iq('get', { tag: 'ref', attrs: {} })
export const nonceStanza = (nonce: Uint8Array): BinaryNode => iq('set', part('companion_nonce', nonce))
export const keysStanza = (encrypted: Uint8Array): BinaryNode => iq('set', part('encrypted_pairing_request', encrypted))

export interface Prologue {
  readonly assertion: PasskeyAssertion
  readonly payload: Uint8Array
  /** Undefined if its time is over, or the user is to compare codes. */
  readonly proof: Uint8Array | undefined
}

export function prologueStanza({ assertion, payload, proof }: Prologue): BinaryNode {
  const { id, rawId, type, response } = assertion
  const { clientDataJSON, authenticatorData, signature, userHandle } = response
  const encoded = { id, rawId, type, response: { clientDataJSON, authenticatorData, signature, userHandle } }
  const parts = [
    part('credential_id', Buffer.from(rawId, 'base64url')),
    part('webauthn_assertion', Buffer.from(JSON.stringify(encoded))),
    part('prologue_payload', payload),
    ...(proof === undefined ? [] : [part('pairing_handoff_proof', proof)]),
  ]
  return iq('set', { tag: 'passkey_prologue', attrs: {}, content: parts })
}

export function optionsIn(stanza: BinaryNode | undefined): PasskeyOptions | undefined {
  const encoded = bytesIn(stanza, 'passkey_request_options')
  return encoded && parsePasskeyOptions(encoded.toString('utf8'))
}
