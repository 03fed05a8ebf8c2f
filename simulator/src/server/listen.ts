import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'
import { nowMs } from '../clock.ts'
import type { SimulatorOptions } from '../options.ts'
import { ClientLink, type Connection, type ConnectionEvents, type Encode } from '../wire/connection.ts'
import type { LinkedDevice } from '../world/device.ts'
import type { Network } from '../world/network.ts'
import { receiveStanza } from './receive-stanza.ts'
import { forgetConnection, login, refusesVersion } from './login.ts'
import { endPairing, startPairing } from './pairing.ts'

export interface ListenOptions {
  readonly host: string
  readonly port: number
  readonly encode: Encode | undefined
  readonly onVisit: SimulatorOptions['onVisit']
}

/** Accepts connections: links, logs in or rejects each client. */
export async function listen(
  network: Network,
  { host, port, encode, onVisit }: ListenOptions,
): Promise<{ url: string; stop(): Promise<void> }> {
  const http = createServer((_request, response) => response.writeHead(404).end())
  http.on('connection', socket => {
    onVisit?.({ to: 'chat', address: socket.remoteAddress ?? '' })
    if (network.faults.closedUntil > nowMs(network)) socket.destroy()
  })
  const sockets = new WebSocketServer({ server: http, path: '/ws/chat' })
  acceptAll(network, sockets, encode)
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject)
    http.listen(port, host, resolve)
  })
  return {
    url: `ws://${host}:${(http.address() as AddressInfo).port}/ws/chat`,
    async stop() {
      for (const socket of sockets.clients) socket.terminate()
      await new Promise(resolve => sockets.close(resolve))
      await new Promise(resolve => http.close(resolve))
    },
  }
}

function acceptAll(network: Network, sockets: WebSocketServer, encode: Encode | undefined): void {
  const devices = new Map<Connection, LinkedDevice>()
  sockets.on('connection', (socket, request) => {
    const judged = network.judgements.openLink()
    const events: ConnectionEvents = {
      onReady: connection => {
        if (connection.payload.devicePairingData) {
          if (refusesVersion(network, connection)) return () => {}
          const pair = startPairing(network, connection)
          return stanza => {
            judged.fromClient(stanza)
            pair(stanza)
          }
        }
        const device = login(network, connection)
        network.changed()
        if (!device) return () => {}
        devices.set(connection, device)
        return stanza => {
          judged.fromClient(stanza)
          receiveStanza(network, device, stanza)
        }
      },
      onSend: stanza => judged.fromServer(stanza),
      takesRouting: () => !network.faults.refusesRouting,
      onClosed: connection => {
        endPairing(network, connection)
        const device = devices.get(connection)
        devices.delete(connection)
        if (device) forgetConnection(device, connection)
        network.changed()
      },
      onError: error => network.logger?.warn({ reason: String(error) }, 'connection failed'),
    }
    new ClientLink(socket, request.socket, network.keys, events, encode)
  })
}
