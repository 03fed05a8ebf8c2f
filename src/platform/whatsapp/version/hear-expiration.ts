import { type BinaryNode, getBinaryNodeChild, type WASocket } from 'baileys'
import { unixSeconds } from '../wire/numbers.ts'

/** Hears until when the platform takes the version of this connection; `null` where that is taken back. */
export function hearExpiration(sock: Pick<WASocket, 'ws'>, onExpiration: (atMs: number | null) => void): void {
  sock.ws.on('CB:ib,,client_expiration', (stanza: BinaryNode) => {
    const t = getBinaryNodeChild(stanza, 'client_expiration')?.attrs.t
    const seconds = unixSeconds(t)
    if (t === undefined) onExpiration(null)
    else if (seconds !== undefined) onExpiration(seconds * 1_000)
  })
}
