import { toDigits } from './jid.ts'
import type { Network } from './network.ts'
import { userOf } from './network.ts'
import type { MediaFault } from './server/fault-plan.ts'
import type { LinkedDevice } from './server/linked-device.ts'
import { removeDevice } from './server/linked-device.ts'
import { disconnect, forgetConnection } from './server/login.ts'
import type { StreamErrorKind } from './server/stanzas.ts'
import { streamError } from './server/stanzas.ts'

/** Makes things go wrong. Numbers are digits or JIDs of linked numbers. */
export interface FaultControl {
  /** For how many of its next messages a number's acks are planned to go wrong. */
  plannedAcks(number: string): number
  /** The next messages of the number are swallowed: no ack, no delivery. */
  withholdAcks(number: string, times?: number): void
  /** The next messages of the number are rejected with this error code. */
  rejectMessages(number: string, error: number, times?: number): void
  /** The next messages of the number are acknowledged and delivered late. */
  delayAcks(number: string, delayMs: number, times?: number): void
  /** The next stanzas pushed to the number arrive in this many copies. */
  duplicate(number: string, copies?: number, times?: number): void
  /** The next encrypted messages to the number cannot be decrypted. */
  tamper(number: string, times?: number): void
  /** The phone of a contact claims not to be able to read the next messages, and asks for them again. */
  makeUnreadable(contact: string, times?: number): void
  /** Cuts the link now, and ends logins of the number for a while. */
  cut(number: string, refuseMs?: number): void
  /** Until when the link is cut, in Unix milliseconds; `null` where it is not. */
  cutUntil(number: string): number | null
  /** What the number is told when it asks whether it may write to people who have not written to it. */
  restrict(number: string, durationMs: number): void
  /** Cuts the link after this many more pushed stanzas, in the middle of a batch if need be. */
  cutAfter(number: string, stanzas: number): void
  /** Ends the link with a stream error; `device_removed` also unlinks the devices. */
  streamError(number: string, kind: StreamErrorKind): void
  /** The next logins of the number fail with this reason (401, 403, 405, 503, …). */
  failLogins(number: string, reason: number, times?: number): void
  /** The link stays open but the server no longer answers on it. */
  silence(number: string): void
  /** Nobody can connect for a while. */
  refuseConnections(durationMs: number): void
  /** The phone unlinks all devices of the number, connected or not. */
  logOut(number: string): void
  /** What happens to the next downloads of media. */
  media(fault: MediaFault, times?: number): void
  /** Makes the file of a message that a phone has sent unreachable; unless `lost`, the phone can put it up again. */
  withdrawMedia(path: string, status?: number, lost?: boolean): void
}

export function createFaultControl(network: Network): FaultControl {
  const { faults } = network
  const devices = (number: string): LinkedDevice[] => [...userOf(network, toDigits(number)).devices.values()]
  const cut = (device: LinkedDevice): void => {
    const { connection } = device
    forgetConnection(device, connection)
    connection?.cut()
  }
  const unlink = (number: string): void => {
    for (const device of devices(number)) {
      removeDevice(network, device)
      network.journal.afterCommit(() => disconnect(device, streamError('device_removed')))
    }
  }
  return {
    plannedAcks: number => faults.acks.planned(toDigits(number)),
    withholdAcks: (number, times) => faults.acks.plan(toDigits(number), { kind: 'withhold' }, times),
    rejectMessages: (number, error, times) => faults.acks.plan(toDigits(number), { kind: 'reject', error }, times),
    delayAcks: (number, delayMs, times) => faults.acks.plan(toDigits(number), { kind: 'delay', delayMs }, times),
    duplicate: (number, copies = 2, times = 1) => faults.copies.plan(toDigits(number), copies, times),
    tamper: (number, times) => faults.tampered.plan(toDigits(number), true, times),
    makeUnreadable: (contact, times) => faults.unreadable.plan(toDigits(contact), true, times),
    cut: (number, refuseMs = 0) => {
      faults.refusedUntil.set(toDigits(number), Date.now() + refuseMs)
      for (const device of devices(number)) cut(device)
    },
    cutUntil: number => {
      const until = faults.refusedUntil.get(toDigits(number)) ?? 0
      return until > Date.now() ? until : null
    },
    restrict: (number, durationMs) => {
      faults.restrictedUntil.set(toDigits(number), Date.now() + durationMs)
    },
    cutAfter: (number, stanzas) => {
      faults.cuts.set(toDigits(number), stanzas)
    },
    streamError: (number, kind) => {
      if (kind === 'device_removed') unlink(number)
      else for (const device of devices(number)) disconnect(device, streamError(kind))
    },
    failLogins: (number, reason, times) => faults.loginFailures.plan(toDigits(number), reason, times),
    silence: number => {
      for (const device of devices(number)) device.connection?.silence()
    },
    refuseConnections: durationMs => {
      faults.closedUntil = Date.now() + durationMs
    },
    logOut: unlink,
    media: (fault, times = 1) => {
      for (let time = 0; time < times; time += 1) faults.media.push(fault)
    },
    withdrawMedia: (path, status = 404, lost = false) => network.media.withdraw(path, status, lost),
  }
}
