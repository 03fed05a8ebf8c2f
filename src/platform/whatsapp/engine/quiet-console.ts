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
