import type { WASocket } from 'baileys'

/**
 * Offline messages arrive before the number is online: without this their senders would never see them as delivered.
 */
export function countAsDelivered(sock: Pick<WASocket, 'ev'>): void {
  sock.ev.emit('connection.update', { isOnline: true })
}

/**
 * The platform sends typing and presence updates only to devices that are online, and shows a message as delivered only
 * if the receiving device is online. The library does not go online without a name, and every contact would see a
 * made-up one.
 */
export async function goOnline({ sock }: { sock: WASocket }): Promise<void> {
  if (sock.authState.creds.me?.name) return sock.sendPresenceUpdate('available')
  countAsDelivered(sock)
  sock.ev.on('creds.update', ({ me }) => {
    if (me?.name) void sock.sendPresenceUpdate('available').catch(() => {})
  })
  await sock.sendNode({ tag: 'presence', attrs: { type: 'available' } })
}
