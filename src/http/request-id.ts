import { randomSlice } from '../runtime/random.ts'

/** What a client may call its request by: 1 to 128 visible characters. */
const OWN = /^[\x21-\x7e]{1,128}$/

/** Different for each process, so that the counts of many never meet. */
const PROCESS = randomSlice(9).toString('hex')
let count = 0

/** What the request is called in its answer, the log and the API log: by its client's own word, or by ours. */
export function requestIdOf(given: string | string[] | undefined): string {
  if (typeof given === 'string' && OWN.test(given)) return given
  count++
  return `req_${PROCESS}${count.toString(36).padStart(6, '0')}`
}
