import { WA_CERT_DETAILS } from 'baileys'
import { replaceCurve } from './curve.ts'

/**
 * The network that a thread serves. The sandbox has its own root of trust and its own certificate authority for media.
 */
export type WhatsAppNetwork =
  | { kind: 'whatsapp' }
  | { kind: 'sandbox'; url: string; rootKey: Uint8Array; mediaCa: string; mediaHost: string }

let boundTo: string | undefined

/**
 * The library keeps its root of trust in a module variable, so a thread serves one network permanently: a link to the
 * real platform can never trust the sandbox root.
 */
export function bindThread(network: WhatsAppNetwork): void {
  const name = network.kind === 'whatsapp' ? 'whatsapp' : `sandbox ${Buffer.from(network.rootKey).toString('hex')}`
  if (boundTo !== undefined && boundTo !== name)
    throw new Error('this thread already serves another network: real and sandbox numbers need separate threads')
  boundTo = name
  silenceLibrary()
  containStrayRejections()
  replaceCurve()
  if (network.kind === 'sandbox') WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(network.rootKey)
}

const METHODS = ['log', 'info', 'warn', 'error', 'debug', 'trace', 'dir'] as const
/** Its files, and the one that has them in the bundled program. */
const LIBRARY = /[\\/](node_modules[\\/](libsignal|baileys)[\\/]|bundled[\\/]baileys-)/

let silenced = false

/**
 * The Signal library prints session objects with private keys to the console. This drops its output and passes that of
 * all other callers.
 */
export function silenceLibrary(): void {
  if (silenced) return
  silenced = true
  for (const method of METHODS) {
    const original = console[method] as (...args: unknown[]) => void
    console[method] = (...args: unknown[]) => {
      if (!calledByLibrary()) original.apply(console, args)
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
 * The library starts work without awaiting it; when a link ends meanwhile, the unhandled rejection would end the
 * process with all its numbers. Rejections that did not come from the library still do.
 */
function containStrayRejections(): void {
  if (contained) return
  contained = true
  process.on('unhandledRejection', reason => {
    if (!(reason instanceof Error && LIBRARY.test(reason.stack ?? ''))) throw reason
  })
}
