import { createHash } from 'node:crypto'
import { jidDecode } from 'baileys'

const HASH_BYTES = 6

/** The hash by which the platform and a client compare their lists of devices. */
export function participantHash(devices: readonly string[]): string {
  const names = devices.map(jid => {
    const { user = '', device = 0, server = '' } = jidDecode(jid) ?? {}
    return `${user}.0:${device}@${server}`
  })
  const hash = createHash('sha256').update(names.sort().join('')).digest()
  return `2:${hash.subarray(0, HASH_BYTES).toString('base64')}`
}
