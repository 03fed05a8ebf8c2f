import type { WASocket } from 'baileys'
import { linkDown } from '../errors.ts'
import type { Connection } from '../link/connection.ts'

/**
 * The connection as one attempt sees it. When the attempt is over, no query is sent for it any more and no transaction
 * begins; what it has prepared so far, like sessions, is kept for the next attempt.
 */
export function connectionUntil(connection: Connection, signal: AbortSignal): Connection {
  return {
    sock: socketUntil(connection.sock, signal),
    acks: connection.acks,
    ended: connection.ended,
    isOpen: () => connection.isOpen(),
    isAnswering: () => connection.isAnswering(),
    end: ending => connection.end(ending),
  }
}

function socketUntil(sock: WASocket, signal: AbortSignal): WASocket {
  const requireRunning = (): void => {
    if (signal.aborted) throw linkDown()
  }
  const guarded =
    <Args extends unknown[], Result>(query: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      requireRunning()
      return await query(...args)
    }
  const { keys } = sock.authState
  const transaction: typeof keys.transaction = (work, key) =>
    keys.transaction(async () => {
      // It may have waited for other transactions.
      requireRunning()
      return await work()
    }, key)
  const own: Partial<WASocket> = {
    query: guarded(sock.query) as WASocket['query'],
    groupMetadata: guarded(sock.groupMetadata),
    onWhatsApp: guarded(sock.onWhatsApp),
    authState: { creds: sock.authState.creds, keys: { ...keys, transaction } },
  }
  // A copy of its many functions would cost more than all of these checks.
  return Object.assign(Object.create(sock) as WASocket, own)
}
