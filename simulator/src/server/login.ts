import { toNumber } from 'baileys'
import { nowMs, nowText } from '../clock.ts'
import { lidJid } from '../jid.ts'
import { userOf } from '../people.ts'
import type { Connection } from '../wire/connection.ts'
import type { BinaryNode } from '../wire/node.ts'
import type { LinkedDevice } from '../world/device.ts'
import type { Network } from '../world/network.ts'
import { announceOffline } from './offline.ts'
import type { LoginFailure } from './fault-plan.ts'
import { dirty, edgeRouting, failure, streamError, success } from './stanzas.ts'

const LOGGED_OUT: LoginFailure = { reason: 401, attrs: {} }
const OUTDATED: LoginFailure = { reason: 405, attrs: {} }
const TEMPORARY_BAN = 402
const ROUTING_INFO = Buffer.from([8, 2, 8, 5])

function findDevice(network: Network, connection: Connection): LinkedDevice | undefined {
  const { username, device } = connection.payload
  const digits = String(toNumber(username))
  const found = network.users.get(digits)?.devices.get(device ?? 0)
  return found?.noiseKey.equals(connection.clientStatic) ? found : undefined
}

/** Rejects a client whose version is too old to log in or to be linked. */
export function refusesVersion({ versions }: Network, connection: Connection): boolean {
  if (versions.accepts(connection.payload)) return false
  refuse(connection, OUTDATED)
  return true
}

function refuse(connection: Connection, { reason, attrs }: LoginFailure): void {
  connection.send(failure(reason, attrs))
  connection.close()
}

/** The first login receives the ban; each further login before its end restarts it. */
function failureOfBan(network: Network, digits: string): LoginFailure | undefined {
  const ban = network.faults.bans.get(digits)
  const leftMs = (ban?.untilMs ?? 0) - nowMs(network)
  if (!ban || leftMs <= 0) return undefined
  const isEarly = ban.isReported
  const lasts = isEarly ? ban.lastsMs : leftMs
  const untilMs = nowMs(network) + lasts
  network.faults.bans.set(digits, { ...ban, untilMs, isReported: true, early: ban.early + (isEarly ? 1 : 0) })
  return { reason: TEMPORARY_BAN, attrs: { code: ban.code, expire: String(Math.ceil(lasts / 1_000)) } }
}

/** Logs a linked device in. Returns `undefined` if it closed the connection instead. */
export function login(network: Network, connection: Connection): LinkedDevice | undefined {
  const digits = String(toNumber(connection.payload.username))
  network.faults.logins.set(digits, (network.faults.logins.get(digits) ?? 0) + 1)
  if ((network.faults.refusedUntil.get(digits) ?? 0) > nowMs(network)) {
    connection.cut()
    return undefined
  }
  const planned = failureOfBan(network, digits) ?? network.faults.loginFailures.take(digits)
  if (planned === undefined && refusesVersion(network, connection)) return undefined
  const device = findDevice(network, connection)
  if (planned !== undefined || !device) {
    refuse(connection, planned ?? LOGGED_OUT)
    return undefined
  }
  if (device.connection) disconnect(device, streamError('replaced'))
  device.connection = connection
  device.online = false
  device.available = undefined
  device.subscriptions.clear()
  device.liveUpdates.clear()
  connection.send(success(nowText(network), lidJid(userOf(network, digits).lid, device.device)))
  connection.send(edgeRouting(ROUTING_INFO))
  if (network.faults.dirtyGroups.has(digits)) connection.send(dirty('groups', nowText(network)))
  announceOffline(network, device)
  return device
}

/** Closes a device's link after a last stanza. */
export function disconnect(device: LinkedDevice, last: BinaryNode): void {
  const { connection } = device
  forgetConnection(device, connection)
  connection?.send(last)
  connection?.close()
}

/** Clears a closed link from the device, unless a new one has replaced it. */
export function forgetConnection(device: LinkedDevice, connection: Connection | undefined): void {
  if (device.connection !== connection) return
  device.connection = undefined
  device.online = false
  device.available = undefined
}
