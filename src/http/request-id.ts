import { randomSlice } from '../runtime/random.ts'

/** A valid request id of a client: 1 to 128 visible characters. */
const OWN = /^[\x21-\x7e]{1,128}$/

/** Random for each process, so that ids of several processes never collide. */
const PROCESS = randomSlice(9).toString('hex')
let count = 0

/** The id of the request in its response, the log and the API log: the client's own, or ours. */
export function requestIdOf(given: string | string[] | undefined): string {
  if (typeof given === 'string' && OWN.test(given)) return given
  count++
  return `req_${PROCESS}${count.toString(36).padStart(6, '0')}`
}
