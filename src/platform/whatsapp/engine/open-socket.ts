import { makeWASocket, type UserFacingSocketConfig, type WASocket } from 'baileys'
import { withSharedStorage } from './shared-storage.ts'

/** The library's socket. It begins to connect at once. */
export function openSocket(config: UserFacingSocketConfig): WASocket {
  return withSharedStorage(() => makeWASocket(config))
}
