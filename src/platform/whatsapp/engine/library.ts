import { Curve, WA_CERT_DETAILS } from 'baileys'
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

const METHODS = ['log', 'info', 'warn', 'error', 'debug', 'trace', 'dir'] as const
const LIBRARY = /[\\/]node_modules[\\/](libsignal|baileys)[\\/]/

let silenced = false

/**
 * The Signal library prints session objects, private keys among them, straight to the console. Whatever it says there
 * is dropped; everyone else's words pass.
 */
export function silenceLibrary(): void {
  if (silenced) return
  silenced = true
  for (const method of METHODS) {
    const original = console[method] as (...words: unknown[]) => void
    console[method] = (...words: unknown[]) => {
      if (!calledByLibrary()) original.apply(console, words)
    }
  }
}

function calledByLibrary(): boolean {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 6
  const stack = new Error('caller').stack ?? ''
  Error.stackTraceLimit = limit
  return LIBRARY.test(stack)
}

let contained = false

/**
 * The library starts work that nobody waits for; when a link ends under it, the failure reaches nobody and would end
 * the process with all its other numbers. A failure that did not come from the library still does.
 */
function containStrayRejections(): void {
  if (contained) return
  contained = true
  process.on('unhandledRejection', reason => {
    if (!(reason instanceof Error && LIBRARY.test(reason.stack ?? ''))) throw reason
  })
}
