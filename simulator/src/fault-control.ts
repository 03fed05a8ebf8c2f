import { nowMs } from './clock.ts'
import { toDigits } from './jid.ts'
import { PairingFaultControl } from './pairing-fault-control.ts'
import type { PasskeyDemand } from './passkey/demands.ts'
import { companionName } from './phone/companions.ts'
import { ReceivingFaultControl } from './receiving-fault-control.ts'
import { moveLid, userOf } from './people.ts'
import type { MediaFault } from './server/fault-plan.ts'
import { removeDevice } from './server/linked-device.ts'
import { disconnect, forgetConnection } from './server/login.ts'
import { clientExpiration, streamError, type StreamErrorKind } from './server/stanzas.ts'
import type { VersionPage, VersionPageFault } from './server/versions.ts'
import type { LinkedDevice } from './world/device.ts'
import type { Network } from './world/network.ts'

/** Makes things go wrong. Numbers are digits or JIDs of linked numbers. */
export class FaultControl {
  /** While a number is linked. */
  readonly pairing: PairingFaultControl
  /** While a number receives. */
  readonly receiving: ReceivingFaultControl
  readonly #network: Network

  constructor(network: Network) {
    this.pairing = new PairingFaultControl(network)
    this.receiving = new ReceivingFaultControl(network)
    this.#network = network
  }

  /** For how many of its next messages a number's acks are planned to go wrong. */
  plannedAcks(number: string): number {
    return this.#network.faults.acks.planned(toDigits(number))
  }

  /** The next messages of the number are swallowed: no ack, and nobody gets them. */
  withholdAcks(number: string, times?: number): void {
    this.#network.faults.acks.plan(toDigits(number), { kind: 'withhold' }, times)
  }

  /** The next messages of the number are rejected with this error code. */
  rejectMessages(number: string, error: number, times?: number): void {
    this.#network.faults.acks.plan(toDigits(number), { kind: 'reject', error }, times)
  }

  /** The next messages of the number are acknowledged, and brought to others, late. */
  delayAcks(number: string, delayMs: number, times?: number): void {
    this.#network.faults.acks.plan(toDigits(number), { kind: 'delay', delayMs }, times)
  }

  /** The next messages of the number are acknowledged, and brought to others, when what it answers is called. */
  holdAcks(number: string, times?: number): () => void {
    let release = (): void => {}
    const until = new Promise<void>(resolve => (release = resolve))
    this.#network.faults.acks.plan(toDigits(number), { kind: 'hold', until }, times)
    return release
  }

  /** The next stanzas pushed to the number arrive in this many copies. */
  duplicate(number: string, copies = 2, times = 1): void {
    this.#network.faults.copies.plan(toDigits(number), copies, times)
  }

  /** The next encrypted messages to the number cannot be decrypted. */
  tamper(number: string, times?: number): void {
    this.#network.faults.tampered.plan(toDigits(number), true, times)
  }

  /** A device of a contact claims not to be able to read the next messages, and asks for them again; 0 is the phone. */
  makeUnreadable(contact: string, times?: number, device = 0): void {
    this.#network.faults.unreadable.plan(companionName({ digits: toDigits(contact) }, device), true, times)
  }

  /** What a device of a contact next asks for again is never heard of. */
  loseRetries(contact: string, times?: number, device = 0): void {
    this.#network.faults.lostRetries.plan(companionName({ digits: toDigits(contact) }, device), true, times)
  }

  /** Cuts the link now, and ends logins of the number for a while. */
  cut(number: string, refuseMs = 0): void {
    this.#network.faults.refusedUntil.set(toDigits(number), nowMs(this.#network) + refuseMs)
    for (const device of this.#devices(number)) {
      const { connection } = device
      forgetConnection(device, connection)
      connection?.cut()
    }
  }

  /** Whether the number can be linked only with its passkey, and what becomes of that. */
  passkey(number: string, demand: PasskeyDemand): void {
    this.#network.faults.passkeys.set(toDigits(number), demand)
  }

  /** Until when the link is cut, in Unix milliseconds; `null` where it is not. */
  cutUntil(number: string): number | null {
    const until = this.#network.faults.refusedUntil.get(toDigits(number)) ?? 0
    return until > nowMs(this.#network) ? until : null
  }

  /** What the number is told when it asks whether it may write to people who have not written to it. */
  restrict(number: string, durationMs: number): void {
    this.#network.faults.restrictedUntil.set(toDigits(number), nowMs(this.#network) + durationMs)
  }

  /** Gives a contact another hidden identifier. */
  moveLid(contact: string): void {
    moveLid(this.#network, userOf(this.#network, toDigits(contact)))
  }

  /** From now on messages of the number are taken where they go to numbers alone, against the rule of the others. */
  takeOnlyNumbers(number: string): void {
    this.#network.faults.writesByNumber.add(toDigits(number))
  }

  /** Cuts the link after this many more pushed stanzas, in the middle of a batch if need be. */
  cutAfter(number: string, stanzas: number): void {
    this.#network.faults.cuts.set(toDigits(number), stanzas)
  }

  /** Ends the link with a stream error; `device_removed` also unlinks the devices. */
  streamError(number: string, kind: StreamErrorKind): void {
    if (kind === 'device_removed') return this.logOut(number)
    for (const device of this.#devices(number)) disconnect(device, streamError(kind))
  }

  /** The next logins of the number fail with this reason (401, 403, 405, 503, …), and whatever else the platform says. */
  failLogins(number: string, reason: number, times?: number, attrs: Readonly<Record<string, string>> = {}): void {
    this.#network.faults.loginFailures.plan(toDigits(number), { reason, attrs }, times)
  }

  /** Bans a number for a while; each login before the end of it makes it begin anew. */
  ban(number: string, lastsMs: number, code = '101'): void {
    const untilMs = nowMs(this.#network) + lastsMs
    this.#network.faults.bans.set(toDigits(number), { untilMs, lastsMs, code, isTold: false, early: 0 })
    for (const device of this.#devices(number)) device.connection?.cut()
  }

  /** How often the number has tried to log in. */
  logins(number: string): number {
    return this.#network.faults.logins.get(toDigits(number)) ?? 0
  }

  /** How often somebody tried to log in before the ban was over. */
  earlyLogins(number: string): number {
    return this.#network.faults.bans.get(toDigits(number))?.early ?? 0
  }

  /** The link stays open but the server no longer answers on it. */
  silence(number: string): void {
    for (const device of this.#devices(number)) device.connection?.silence()
  }

  /** Nobody can connect for a while. */
  refuseConnections(durationMs: number): void {
    this.#network.faults.closedUntil = nowMs(this.#network) + durationMs
  }

  /** Entrances no longer understand the routing information that clients bring along, or do again. */
  refuseRouting(refuses: boolean): void {
    this.#network.faults.refusesRouting = refuses
  }

  /** From now on a new version of the web client is wanted of whoever logs in or links; pages may not know it yet. */
  ageVersions({ isPublished = true } = {}): void {
    this.#network.versions.age(isPublished)
  }

  /** The number's version is taken no longer: its link ends, and it has to come back with a new one, which pages know. */
  outdate(number: string): void {
    this.#network.versions.ageFor(toDigits(number))
    this.cut(number)
  }

  /** From now on phones link the newest version alone. */
  ageVersionsForLinking(): void {
    this.#network.versions.ageForLinking()
  }

  /** The pages name the newest version. */
  publishVersion(): void {
    this.#network.versions.publish()
  }

  /** What happens to whoever asks for the version, until it is well again. */
  versionPages(fault: VersionPageFault | null, pages: readonly VersionPage[] = ['page', 'list']): void {
    const { faults } = this.#network.versions
    for (const page of pages) {
      if (fault === null) faults.delete(page)
      else faults.set(page, fault)
    }
  }

  /** How often somebody asked for the version. */
  versionAsks(page: VersionPage): number {
    return this.#network.versions.asked[page]
  }

  /** Tells the number until when its version is taken, in Unix seconds; `null` takes that back. */
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

  /** What happens to the next downloads of media. */
  media(fault: MediaFault, times = 1): void {
    for (let time = 0; time < times; time += 1) this.#network.faults.media.push(fault)
  }

  /**
   * Makes the file of a message that a phone has sent unreachable, or its bytes others; unless `lost`, the phone can
   * put it up again.
   */
  withdrawMedia(path: string, status: number | 'corrupt' = 404, lost = false): void {
    this.#network.media.withdraw(path, status, lost)
  }

  /** The names of the media servers, as clients are told them. */
  mediaHosts(): string[] {
    return this.#network.media.hosts()
  }

  /** One of the media servers answers everything with this status; with none it works again. */
  breakMediaHost(host: string, status?: number): void {
    if (status === undefined) this.#network.faults.brokenMediaHosts.delete(host)
    else this.#network.faults.brokenMediaHosts.set(host, status)
  }

  /** The number's phone is switched off, or on again: it puts up no file that is gone. */
  switchPhoneOff(number: string, isOff = true): void {
    const { phonesOff } = this.#network.faults
    if (isOff) phonesOff.add(toDigits(number))
    else phonesOff.delete(toDigits(number))
  }

  /** How often the number has asked its phone to put up a file again. */
  fileRequests(number: string): number {
    return this.#network.faults.fileRequests.get(toDigits(number)) ?? 0
  }

  /** The number's questions about channels and restrictions get no answer, or do again. */
  silenceQueries(number: string, isSilent = true): void {
    const { silentQueries } = this.#network.faults
    if (isSilent) silentQueries.add(toDigits(number))
    else silentQueries.delete(toDigits(number))
  }

  #devices(number: string): LinkedDevice[] {
    return [...userOf(this.#network, toDigits(number)).devices.values()]
  }
}
