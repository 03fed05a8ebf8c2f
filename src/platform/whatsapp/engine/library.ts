import { Curve, WA_CERT_DETAILS } from 'baileys'
import { silenceLibrary } from './quiet-console.ts'
import { containStrayRejections } from './stray-rejections.ts'
import { verifySignature } from './xeddsa.ts'

/** Which network a thread is linked to. The sandbox has its own root of trust and its own authority for media. */
export type WhatsAppNetwork =
  | { kind: 'whatsapp' }
  | { kind: 'sandbox'; url: string; rootKey: Uint8Array; mediaCa: string; mediaHost: string }

let boundTo: string | undefined

/**
 * The library keeps its root of trust in a variable of the module, so a thread serves one network for good: the
 * sandbox root can never be trusted on a link to the real platform.
 */
export function bindThread(network: WhatsAppNetwork): void {
  const name = network.kind === 'whatsapp' ? 'whatsapp' : `sandbox ${Buffer.from(network.rootKey).toString('hex')}`
  if (boundTo !== undefined && boundTo !== name)
    throw new Error('this thread already serves another network: real and sandbox numbers need threads of their own')
  boundTo = name
  silenceLibrary()
  containStrayRejections()
  // The library's own check answers true to any well-formed signature.
  Curve.verify = verifySignature
  if (network.kind === 'sandbox') WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(network.rootKey)
}
