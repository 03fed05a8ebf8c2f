import { connect } from 'node:net'
import type pg from 'pg'

const CANCEL_REQUEST = 80_877_102
const PATIENCE_MS = 3_000

/** What the driver knows of a session, and its types do not. */
interface Session {
  host: string
  port: number
  processID: number | null
  secretKey: number | null
}

/** An answer that was not waited for any longer. */
export const isLate = (error: unknown): boolean => (error as Error).message === 'Query read timeout'

/**
 * Asks the server to end what a session is at. One that was opened with a time limit ends it by itself; behind a pooler
 * none is, and a statement would go on with nobody to answer. Whether it is heard nobody is told.
 */
export function cancel(client: pg.PoolClient): void {
  const { host, port, processID, secretKey } = client as unknown as Session
  if (processID === null || secretKey === null || host.startsWith('/')) return
  const request = Buffer.alloc(16)
  request.writeInt32BE(request.length, 0)
  request.writeInt32BE(CANCEL_REQUEST, 4)
  request.writeInt32BE(processID, 8)
  request.writeInt32BE(secretKey, 12)
  const socket = connect({ host, port })
  socket.setTimeout(PATIENCE_MS, () => socket.destroy())
  socket.on('error', () => {})
  socket.unref().end(request)
}
