import { setImmediate } from 'node:timers/promises'
import { S_WHATSAPP_NET, type WASocket } from 'baileys'
import { openConnection } from '../session-context.ts'
import type { Link } from '../link/link.ts'

const TIMEOUT_MS = 10_000

/** Removes the device on the platform, which responds or only ends the link. */
export async function unlinkDevice(link: Link): Promise<void> {
  const connection = openConnection({ link })
  await Promise.race([requestRemoval(connection.sock), connection.ended])
  connection.end({ kind: 'logged_out', reason: 'the device was unlinked by the gateway' })
  await connection.ended
  // The link reports its end before the caller continues.
  await setImmediate()
}

/** Resolves with whether the platform confirmed the removal of the device. */
export async function requestRemoval(sock: WASocket): Promise<boolean> {
  const jid = sock.authState.creds.me?.id ?? ''
  const removal = {
    tag: 'iq',
    attrs: { to: S_WHATSAPP_NET, type: 'set', xmlns: 'md' },
    content: [{ tag: 'remove-companion-device', attrs: { jid, reason: 'user_initiated' } }],
  }
  return await sock.query(removal, TIMEOUT_MS).then(
    answer => answer !== undefined,
    () => false,
  )
}
