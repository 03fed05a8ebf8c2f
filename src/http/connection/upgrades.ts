import { type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** A connection that may become a WebSocket, and what its client has sent after the request. */
export interface Upgrade {
  socket: Socket
  head: Buffer
}

const upgrades = new WeakMap<IncomingMessage, Upgrade>()

/** Only paths that an API key opens: a browser would send cookies from any page. */
const PATH = /^\/v1\/endpoints\/[^/?]+\/stream(?:\?|$)/

/**
 * Whether the request asks for a WebSocket where there is one. Any other upgrade is ignored, as the protocol permits:
 * some clients offer HTTP/2 with every request.
 */
export const mayUpgrade = ({ method, url = '', headers }: IncomingMessage): boolean =>
  method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket' && PATH.test(url)

/** For versions of Node that ask the server; in others the parser's hook asks. */
export const UPGRADE_OPTIONS = { shouldUpgradeCallback: mayUpgrade }

export const upgradeOf = (request: IncomingMessage): Upgrade | undefined => upgrades.get(request)

/** Serves a request for a WebSocket like any other, so that the same checks come first and errors look the same. */
export function serveUpgrades(server: Server): void {
  server.on('upgrade', (request, socket: Socket, head) => {
    socket.on('error', () => socket.destroy())
    const response = new ServerResponse(request)
    response.shouldKeepAlive = false
    response.assignSocket(socket)
    response.once('finish', () => socket.destroySoon())
    upgrades.set(request, { socket, head })
    server.emit('request', request, response)
  })
}
