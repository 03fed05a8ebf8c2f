import type { WASocket } from 'baileys'

/** What waited comes before the number is online: without this its senders would never see it as delivered. */
export function countAsDelivered(sock: Pick<WASocket, 'ev'>): void {
  sock.ev.emit('connection.update', { isOnline: true })
}

/**
 * The platform tells who types and who is online to those alone who are online themselves, and shows a message as
 * delivered only where the device that took it is. The library refuses to go online without a name; what would be said
 * as one, everybody would see.
 */
export async function goOnline({ sock }: { sock: WASocket }): Promise<void> {
  if (sock.authState.creds.me?.name) return sock.sendPresenceUpdate('available')
  countAsDelivered(sock)
  sock.ev.on('creds.update', ({ me }) => {
    if (me?.name) void sock.sendPresenceUpdate('available').catch(() => {})
  })
  await sock.sendNode({ tag: 'presence', attrs: { type: 'available' } })
}
