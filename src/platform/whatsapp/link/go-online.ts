import { digitsOf } from '../../../domain/jid.ts'
import type { Connection } from './connection.ts'

/**
 * The platform tells who types and who is online to those alone who are online themselves, and shows a message as
 * delivered only where the device that took it is. The library refuses to go online without a name.
 */
export async function goOnline({ sock }: Connection): Promise<void> {
  const me = sock.authState.creds.me
  if (me?.name) return sock.sendPresenceUpdate('available')
  sock.ev.emit('connection.update', { isOnline: true })
  await sock.sendNode({ tag: 'presence', attrs: { type: 'available', name: digitsOf(me?.id ?? '') } })
}
