import { jidDecode } from 'baileys'

/** The name under which the library keeps the session with a device. */
export function signalAddress(jid: string): string {
  const { user = '', device = 0, domainType = 0 } = jidDecode(jid) ?? {}
  return `${domainType === 0 ? user : `${user}_${domainType}`}.${device}`
}
