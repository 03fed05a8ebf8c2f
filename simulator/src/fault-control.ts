import { nowMs, nowText } from './clock.ts'
import { toDigits } from './jid.ts'
import type { PasskeyDemand } from './passkey/demands.ts'
import { moveLid, userOf } from './people.ts'
import { companionName } from './phone/companions.ts'
import { ReceivingFaultControl } from './receiving-fault-control.ts'
import type { MediaFault } from './server/fault-plan.ts'
import { removeDevice } from './server/linked-device.ts'
import { disconnect, forgetConnection } from './server/login.ts'
import type { CodeFault, HelloRefusal } from './server/pairing-faults.ts'
import { update } from './server/message-stanzas.ts'
import { push } from './server/outbox.ts'
import { clientExpiration, stanzaId, streamError, type StreamErrorKind } from './server/stanzas.ts'
import type { VersionPage, VersionPageFault } from './server/versions.ts'
import type { LinkedDevice } from './world/device.ts'
import type { Network } from './world/network.ts'

/** Injects faults. Numbers are digits or JIDs of linked numbers. */
export class FaultControl {
  /** Faults during linking. */
  readonly pairing: PairingFaultControl
  /** Faults while a number receives messages. */
  readonly receiving: ReceivingFaultControl
  readonly #network: Network

  constructor(network: Network) {
    this.pairing = new PairingFaultControl(network)
    this.receiving = new ReceivingFaultControl(network)
    this.#network = network
  }

  /** How many faults are planned for the acks of a number's next messages. */
  plannedAcks(number: string): number {
    return this.#network.faults.acks.planned(toDigits(number))
  }

  /** The server drops the next messages of the number: it neither acknowledges nor delivers them. */
  withholdAcks(number: string, times?: number): void {
    this.#network.faults.acks.plan(toDigits(number), { kind: 'withhold' }, times)
  }

  /** The server rejects the next messages of the number with this error code, and these attributes beside it. */
  rejectMessages(number: string, error: number, times?: number, attrs: Readonly<Record<string, string>> = {}): void {
    this.#network.faults.acks.plan(toDigits(number), { kind: 'reject', error, attrs }, times)
  }

  /** The platform knows the person by another number than people write: Brazil's ninth digit, for example. */
  correctNumber(written: string, real: string): void {
    this.#network.faults.correctedNumbers.set(toDigits(written), toDigits(real))
  }

  /** The server acknowledges and delivers the next messages of the number after this delay. */
  delayAcks(number: string, delayMs: number, times?: number): void {
    this.#network.faults.acks.plan(toDigits(number), { kind: 'delay', delayMs }, times)
  }

  /** The server acknowledges and delivers the next messages of the number when the returned function is called. */
  holdAcks(number: string, times?: number): () => void {
    let release = (): void => {}
    const until = new Promise<void>(resolve => (release = resolve))
    this.#network.faults.acks.plan(toDigits(number), { kind: 'hold', until }, times)
    return release
  }

  /** The server sends this many copies of each of the next stanzas to the number. */
  duplicate(number: string, copies = 2, times = 1): void {
    this.#network.faults.copies.plan(toDigits(number), copies, times)
  }

  /** The next encrypted messages to the number cannot be decrypted. */
  tamper(number: string, times?: number): void {
    this.#network.faults.tampered.plan(toDigits(number), true, times)
  }

  /** A device of a contact fails to read the next messages and requests them again; device 0 is the phone. */
  makeUnreadable(contact: string, times?: number, device = 0): void {
    this.#network.faults.unreadable.plan(companionName({ digits: toDigits(contact) }, device), true, times)
  }

  /** The server drops the next retry requests of a contact's device. */
  loseRetries(contact: string, times?: number, device = 0): void {
    this.#network.faults.lostRetries.plan(companionName({ digits: toDigits(contact) }, device), true, times)
  }

  /** Cuts the link now and refuses logins of the number for `refuseMs`. */
  cut(number: string, refuseMs = 0): void {
    this.#network.faults.refusedUntil.set(toDigits(number), nowMs(this.#network) + refuseMs)
    for (const device of this.#devices(number)) {
      const { connection } = device
      forgetConnection(device, connection)
      connection?.cut()
    }
  }

  /** Decides whether linking the number requires its passkey, and how the server behaves then. */
  passkey(number: string, demand: PasskeyDemand): void {
    this.#network.faults.passkeys.set(toDigits(number), demand)
  }

  /** When logins of a cut number work again, in Unix milliseconds; `null` unless it is cut. */
  cutUntil(number: string): number | null {
    const until = this.#network.faults.refusedUntil.get(toDigits(number)) ?? 0
    return until > nowMs(this.#network) ? until : null
  }

  /** For this long, the server reports that the number may not write to people who have not written to it. */
  restrict(number: string, durationMs: number, type = 'DEFAULT'): void {
    this.#network.faults.restrictions.set(toDigits(number), { untilMs: nowMs(this.#network) + durationMs, type })
  }

  /** Restricts the number in the same way and notifies its devices. `type` is the platform's name for the restriction. */
  pushRestriction(number: string, durationMs: number, type = 'DEFAULT'): void {
    this.restrict(number, durationMs, type)
    const ends = String(Math.ceil((nowMs(this.#network) + durationMs) / 1000))
    this.#pushUpdate(number, 'NotificationUserReachoutTimelockUpdate', {
      xwa2_notify_account_reachout_timelock: { is_active: true, time_enforcement_ends: ends, enforcement_type: type },
    })
  }

  /** Lifts the restriction of the number; its devices are notified unless they are offline. */
  liftRestriction(number: string): void {
    this.#network.faults.restrictions.delete(toDigits(number))
    this.#pushUpdate(number, 'NotificationUserReachoutTimelockUpdate', {
      xwa2_notify_account_reachout_timelock: { is_active: false },
    })
  }

  /**
   * The server reports how many new chats of its limit the number has used. While it is capped, messages to people who
   * have not written to it are refused.
   */
  capNewChats(number: string, cap: Readonly<Record<string, unknown>>): void {
    this.#network.faults.newChats.set(toDigits(number), cap)
    this.#pushUpdate(number, 'MessageCappingInfoNotification', {
      xwa2_notify_new_chat_messages_capping_info_update: cap,
    })
  }

  /** Sends a stanza that devices which are offline never get. */
  #pushUpdate(number: string, operation: string, data: Readonly<Record<string, unknown>>): void {
    for (const device of this.#devices(number)) {
      if (device.online)
        push(this.#network, device, update(stanzaId(this.#network), nowText(this.#network), operation, data))
    }
  }

  /** Turns on a flag of the platform, by its number: devices learn it at their next login. */
  turnOnFlag(code: number): void {
    this.#network.faults.flags.add(String(code))
  }

  /** Gives a contact another hidden identifier. */
  moveLid(contact: string): void {
    moveLid(this.#network, userOf(this.#network, toDigits(contact)))
  }

  /** From now on the server accepts messages of this number only if they address phone numbers, unlike for other numbers. */
  takeOnlyNumbers(number: string): void {
    this.#network.faults.writesByNumber.add(toDigits(number))
  }

  /** Cuts the link after this many more pushed stanzas, even in the middle of a batch. */
  cutAfter(number: string, stanzas: number): void {
    this.#network.faults.cuts.set(toDigits(number), stanzas)
  }

  /** Ends the link with a stream error; `device_removed` also unlinks the devices. */
  streamError(number: string, kind: StreamErrorKind): void {
    if (kind === 'device_removed') return this.logOut(number)
    for (const device of this.#devices(number)) disconnect(device, streamError(kind))
  }

  /** The next logins of the number fail with this reason (401, 403, 405, 503, …) and these further attributes. */
  failLogins(number: string, reason: number, times?: number, attrs: Readonly<Record<string, string>> = {}): void {
    this.#network.faults.loginFailures.plan(toDigits(number), { reason, attrs }, times)
  }

  /** Bans a number for `lastsMs`; each login before the end restarts the ban. */
  ban(number: string, lastsMs: number, code = '101'): void {
    const untilMs = nowMs(this.#network) + lastsMs
    this.#network.faults.bans.set(toDigits(number), { untilMs, lastsMs, code, isReported: false, early: 0 })
    for (const device of this.#devices(number)) device.connection?.cut()
  }

  /** How often the number has tried to log in. */
  logins(number: string): number {
    return this.#network.faults.logins.get(toDigits(number)) ?? 0
  }

  /** How many logins were attempted before the ban was over. */
  earlyLogins(number: string): number {
    return this.#network.faults.bans.get(toDigits(number))?.early ?? 0
  }

  /** The link stays open but the server no longer answers on it. */
  silence(number: string): void {
    for (const device of this.#devices(number)) device.connection?.silence()
  }

  /** The server refuses all connections for this long. */
  refuseConnections(durationMs: number): void {
    this.#network.faults.closedUntil = nowMs(this.#network) + durationMs
  }

  /** Decides whether the server rejects connections that begin with routing information. */
  refuseRouting(refuses: boolean): void {
    this.#network.faults.refusesRouting = refuses
  }

  /** From now on logging in and linking require a new version of the web client; the pages may not name it yet. */
  ageVersions({ isPublished = true } = {}): void {
    this.#network.versions.age(isPublished)
  }

  /** The server no longer accepts the number's version: it cuts the link, and a login needs the new version on the pages. */
  outdate(number: string): void {
    this.#network.versions.ageFor(toDigits(number))
    this.cut(number)
  }

  /** From now on phones link only the newest version. */
  ageVersionsForLinking(): void {
    this.#network.versions.ageForLinking()
  }

  /** The pages name the newest version. */
  publishVersion(): void {
    this.#network.versions.publish()
  }

  /** How requests for the version fail; `null` ends the fault. */
  versionPages(fault: VersionPageFault | null, pages: readonly VersionPage[] = ['page', 'list']): void {
    const { faults } = this.#network.versions
    for (const page of pages) {
      if (fault === null) faults.delete(page)
      else faults.set(page, fault)
    }
  }

  /** How many requests for the version the page got. */
  versionRequests(page: VersionPage): number {
    return this.#network.versions.requests[page]
  }

  /** Announces to the number until when its version is accepted, in Unix seconds; `null` withdraws that. */
  expireVersion(number: string, t: number | null): void {
    for (const { connection } of this.#devices(number)) connection?.send(clientExpiration(t))
  }

  /** The phone unlinks all devices of the number, connected or not. */
  logOut(number: string): void {
    for (const device of this.#devices(number)) {
      removeDevice(this.#network, device)
      this.#network.journal.afterCommit(() => disconnect(device, streamError('device_removed')))
    }
  }

  /** How the next downloads of media fail. */
  media(fault: MediaFault, times = 1): void {
    for (let time = 0; time < times; time += 1) this.#network.faults.media.push(fault)
  }

  /**
   * Makes the file of a message that a phone has sent unreachable, or changes its bytes. Unless `lost`, the phone can
   * upload it again.
   */
  withdrawMedia(path: string, status: number | 'corrupt' = 404, lost = false): void {
    this.#network.media.withdraw(path, status, lost)
  }

  /** The media servers that clients are given. */
  mediaHosts(): string[] {
    return this.#network.media.hosts()
  }

  /** One of the media servers answers every request with this status; without a status it works again. */
  breakMediaHost(host: string, status?: number): void {
    if (status === undefined) this.#network.faults.brokenMediaHosts.delete(host)
    else this.#network.faults.brokenMediaHosts.set(host, status)
  }

  /** Switches the number's phone off or on; while it is off, it uploads no file again. */
  switchPhoneOff(number: string, isOff = true): void {
    const { phonesOff } = this.#network.faults
    if (isOff) phonesOff.add(toDigits(number))
    else phonesOff.delete(toDigits(number))
  }

  /** How often the number has requested its phone to upload a file again. */
  fileRequests(number: string): number {
    return this.#network.faults.fileRequests.get(toDigits(number)) ?? 0
  }

  /** Decides whether the server leaves the number's queries about channels, restrictions and shared settings unanswered. */
  silenceQueries(number: string, isSilent = true): void {
    const { silentQueries } = this.#network.faults
    if (isSilent) silentQueries.add(toDigits(number))
    else silentQueries.delete(toDigits(number))
  }

  /** Decides whether the server leaves the number's queries for the keys of people unanswered. */
  silenceKeys(number: string, isSilent = true): void {
    const { silentKeys } = this.#network.faults
    if (isSilent) silentKeys.add(toDigits(number))
    else silentKeys.delete(toDigits(number))
  }

  /** The server no longer knows these JSON queries. Without ids it knows all of them again. */
  retireQueries(...ids: string[]): void {
    const { retiredQueries } = this.#network.faults
    if (ids.length === 0) retiredQueries.clear()
    for (const id of ids) retiredQueries.add(id)
  }

  #devices(number: string): LinkedDevice[] {
    return [...userOf(this.#network, toDigits(number)).devices.values()]
  }
}

/** Injects faults during linking. Numbers are digits or JIDs. */
class PairingFaultControl {
  readonly #network: Network

  constructor(network: Network) {
    this.#network = network
  }

  /** The number's next scans fail, and the client has to replace the secret of its codes each time. */
  swallowScans(number: string, times?: number): void {
    this.#network.faults.pairing.swallowedScans.plan(toDigits(number), true, times)
  }

  /** The server rejects the next requests for a pairing code of the number. */
  refuseCodes(number: string, refusal: HelloRefusal, times?: number): void {
    this.#network.faults.pairing.refusedCodes.plan(toDigits(number), refusal, times)
  }

  /** What happens when the next code is typed on the number's phone. */
  spoilCode(number: string, fault: CodeFault): void {
    this.#network.faults.pairing.typedCodes.plan(toDigits(number), fault)
  }
}
