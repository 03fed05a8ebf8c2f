import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren } from 'baileys'
import type { PlatformFlag } from '../../../domain/platform-flags.ts'
import { getOwn } from '../../../runtime/get-own.ts'

/** Flags of the platform that announce a change which clients have to follow, by their number. */
const WATCHED: Readonly<Record<string, PlatformFlag>> = {
  20161: 'noise_pq_mode',
  21198: 'pq_keys_upload',
  24160: 'pq_1on1_message_enabled',
  27620: 'status_e2ee_send_over_status_stanza',
  34259: 'web_status_send_via_smax',
}

/** The watched flags that a response about flags turns on. The platform repeats only those that have changed. */
export function flagsTurnedOn(stanza: BinaryNode): PlatformFlag[] {
  if (stanza.tag !== 'iq') return []
  return getBinaryNodeChildren(getBinaryNodeChild(stanza, 'props'), 'prop').flatMap(({ attrs }) => {
    const { config_code: code = '', config_value: value = '' } = attrs
    const flag = getOwn(WATCHED, code)
    return flag !== undefined && (value === 'true' || Number(value) > 0) ? [flag] : []
  })
}
