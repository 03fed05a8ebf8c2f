import { setFlagsFromString } from 'node:v8'

/**
 * Runs what loads the gateway. All that is loaded stays, which V8 takes for a lively program and makes room for as much
 * that will be short-lived, some 20 MB; so this room grows only from then on, as requests need it.
 */
export async function loadLean<T>(load: () => Promise<T>): Promise<T> {
  setFlagsFromString('--semi-space-growth-factor=1')
  try {
    return await load()
  } finally {
    setFlagsFromString('--semi-space-growth-factor=2')
  }
}
