import type { Connection } from './connection.ts'

/**
 * The platform tells who types and who is online to those alone who are online themselves, and shows a message as
 * delivered only where the device that took it is. The library refuses to go online without a name; what would be said
 * as one, everybody would see.
 */
export async function goOnline({ sock }: Pick<Connection, 'sock'>): Promise<void> {
  if (sock.authState.creds.me?.name) return sock.sendPresenceUpdate('available')
  sock.ev.emit('connection.update', { isOnline: true })
  sock.ev.on('creds.update', ({ me }) => {
    if (me?.name) void sock.sendPresenceUpdate('available').catch(() => {})
  })
  await sock.sendNode({ tag: 'presence', attrs: { type: 'available' } })
}
