import { toNumber } from 'baileys'
import { nowMs, nowText } from '../clock.ts'
import { lidJid } from '../jid.ts'
import { userOf } from '../people.ts'
import type { Connection } from '../wire/connection.ts'
import type { BinaryNode } from '../wire/node.ts'
import type { LinkedDevice } from '../world/device.ts'
import type { Network } from '../world/network.ts'
import { announceOffline } from './outbox.ts'
import { edgeRouting, failure, streamError, success } from './stanzas.ts'

const LOGGED_OUT = 401
const ROUTING_INFO = Buffer.from([8, 2, 8, 5])

function findDevice(network: Network, connection: Connection): LinkedDevice | undefined {
  const { username, device } = connection.payload
  const digits = String(toNumber(username))
  const found = network.users.get(digits)?.devices.get(device ?? 0)
  return found?.noiseKey.equals(connection.clientStatic) ? found : undefined
}

function refuse(connection: Connection, reason: number): void {
  connection.send(failure(reason))
  connection.close()
}

/** Lets a linked device in. Returns it, or nothing when the link was ended instead. */
export function login(network: Network, connection: Connection): LinkedDevice | undefined {
  const digits = String(toNumber(connection.payload.username))
  if ((network.faults.refusedUntil.get(digits) ?? 0) > nowMs(network)) {
    connection.cut()
    return undefined
  }
  const planned = network.faults.loginFailures.take(digits)
  const device = findDevice(network, connection)
  if (planned !== undefined || !device) {
    refuse(connection, planned ?? LOGGED_OUT)
    return undefined
  }
  if (device.connection) disconnect(device, streamError('replaced'))
  device.connection = connection
  device.online = false
  device.available = false
  device.subscriptions.clear()
  device.liveUpdates.clear()
  connection.send(success(nowText(network), lidJid(userOf(network, digits).lid, device.device)))
  connection.send(edgeRouting(ROUTING_INFO))
  announceOffline(network, device)
  return device
}

/** Ends a device's link with a last word. */
export function disconnect(device: LinkedDevice, lastWord: BinaryNode): void {
  const { connection } = device
  forgetConnection(device, connection)
  connection?.send(lastWord)
  connection?.close()
}

/** The link is gone; another one may be in its place already. */
export function forgetConnection(device: LinkedDevice, connection: Connection | undefined): void {
  if (device.connection !== connection) return
  device.connection = undefined
  device.online = false
  device.available = false
}
