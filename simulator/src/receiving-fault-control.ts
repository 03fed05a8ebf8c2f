import { nowText } from './clock.ts'
import { numberJid, SERVER_JID, toDigits } from './jid.ts'
import { userOf } from './people.ts'
import { type Announcement, announceTo, type Subject } from './server/announcements.ts'
import { push, transmit } from './server/outbox.ts'
import { stanzaId } from './server/stanzas.ts'
import { type BinaryNode, node } from './wire/node.ts'
import type { LinkedDevice } from './world/device.ts'
import type { Network } from './world/network.ts'

/** Injects faults while a number receives messages. Numbers are digits or JIDs. */
export class ReceivingFaultControl {
  readonly #network: Network

  constructor(network: Network) {
    this.#network = network
  }

  /** Decides whether the server accepts only acks for messages to the number, as users have reported. */
  takeOnlyAcks(number: string, only: boolean): void {
    const { onlyAcks } = this.#network.faults
    if (only) onlyAcks.add(toDigits(number))
    else onlyAcks.delete(toDigits(number))
  }

  /** Decides whether the contact's phone ignores retry requests. */
  ignoreRetries(contact: string, ignores: boolean): void {
    const { ignoresRetries } = this.#network.faults
    if (ignores) ignoresRetries.add(toDigits(contact))
    else ignoresRetries.delete(toDigits(contact))
  }

  /** The number's next messages arrive in this order: `[2, 0, 1]` delivers the third one first. */
  reorder(number: string, order: readonly number[]): void {
    this.#network.faults.reordered.set(toDigits(number), { order, waiting: [] })
  }

  /** Decides whether receipts in groups come in the platform's form for several people. */
  groupReceipts(groups: boolean): void {
    this.#network.faults.groupsReceipts = groups
  }

  /** The server answers the number's queries about groups with this error; without a code it answers them again. */
  refuseGroupQueries(number: string, code?: number): void {
    const { refusedGroupQueries } = this.#network.faults
    if (code === undefined) refusedGroupQueries.delete(toDigits(number))
    else refusedGroupQueries.set(toDigits(number), code)
  }

  /** The server makes the number's changes of groups and does not answer them; or it answers them again. */
  loseGroupAnswers(number: string, lost = true): void {
    const { lostGroupAnswers } = this.#network.faults
    if (lost) lostGroupAnswers.add(toDigits(number))
    else lostGroupAnswers.delete(toDigits(number))
  }

  /** How many queries about groups the number has sent. */
  groupQueries(number: string): number {
    return this.#network.faults.groupQueries.get(toDigits(number)) ?? 0
  }

  /** The groups of the number have changed: each of its logins is told so until a device confirms that. */
  soilGroups(number: string): void {
    this.#network.faults.dirtyGroups.add(toDigits(number))
  }

  /** Whether a device has yet to confirm that the groups have changed. */
  hasDirtyGroups(number: string): boolean {
    return this.#network.faults.dirtyGroups.has(toDigits(number))
  }

  /** Decides whether the receipts of a contact's phone are lost. */
  loseReceipts(contact: string, loses: boolean): void {
    const { lostReceipts } = this.#network.faults
    if (loses) lostReceipts.add(toDigits(contact))
    else lostReceipts.delete(toDigits(contact))
  }

  /** Decides whether status posts come with the tag `status` instead of `message`, and their acks with that class. */
  retagStatus(retags: boolean): void {
    this.#network.faults.retagsStatus = retags
  }

  /** The platform announces something to each device of the number; returns the stanza ids. */
  announce(number: string, name: Announcement, subject: AnnouncedSubject): string[] {
    const about = { ...subject, contact: userOf(this.#network, toDigits(subject.contact)) }
    return [...userOf(this.#network, toDigits(number)).devices.values()].map(device =>
      announceTo(this.#network, device, name, about),
    )
  }

  /** The server answers the number's queries of this namespace with this error; without a code it answers them again. */
  refuseQueries(number: string, xmlns: string, code?: number): void {
    const { refusedQueries } = this.#network.faults
    const key = `${toDigits(number)} ${xmlns}`
    if (code === undefined) refusedQueries.delete(key)
    else refusedQueries.set(key, code)
  }

  /** Sends a stanza that few clients expect to each device of the number; returns the stanza ids. */
  sendRareStanza(number: string, rare: RareStanza): string[] {
    return [...userOf(this.#network, toDigits(number)).devices.values()].map(device =>
      sendRareStanza(this.#network, device, rare),
    )
  }
}

/** What an announcement is about; the contact is digits or a JID. */
export type AnnouncedSubject = Omit<Subject, 'contact'> & { readonly contact: string }

/** Stanzas that the platform sends rarely and few clients expect. */
export type RareStanza =
  /** The server pings the client. */
  | { readonly kind: 'ping' }
  /** A stanza with an unknown tag; it needs an ack like any other. */
  | { readonly kind: 'unknown_tag'; readonly tag: string; readonly from: string }
  /** Data that the number's own phone sends to its devices. */
  | { readonly kind: 'appdata' }
  /** An unencrypted message of a person, which only the server could have written. */
  | { readonly kind: 'plaintext'; readonly from: string; readonly content: Uint8Array }

/** Sends the stanza to a device; returns its id. */
function sendRareStanza(network: Network, device: LinkedDevice, rare: RareStanza): string {
  const id = stanzaId(network)
  if (rare.kind === 'ping')
    transmit(
      network,
      device,
      node('iq', { from: SERVER_JID, type: 'get', xmlns: 'urn:xmpp:ping', id, t: nowText(network) }),
    )
  else {
    const stanza = rare.kind === 'appdata' ? appdata(device, id, nowText(network)) : stanzaOf(network, rare, id)
    network.judgements.exempt(stanza)
    push(network, device, stanza)
  }
  return id
}

function appdata({ digits }: LinkedDevice, id: string, t: string): BinaryNode {
  const enc = node('enc', { v: '3', type: 'msg', count: '1', 'decrypt-fail': 'hide' }, Buffer.alloc(32, 7))
  return node('appdata', { from: numberJid(digits), id, t, category: 'peer' }, [enc])
}

function stanzaOf(network: Network, rare: Exclude<RareStanza, { kind: 'ping' | 'appdata' }>, id: string): BinaryNode {
  const { from } = rare
  const t = nowText(network)
  if (rare.kind === 'unknown_tag') return node(rare.tag, { from, id, t })
  return node('message', { from, id, t, type: 'text' }, [node('plaintext', {}, rare.content)])
}
