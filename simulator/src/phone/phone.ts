import { normalizeMessageContent, proto } from 'baileys'
import { readsAtAll } from '../behaviour.ts'
import { nowMs } from '../clock.ts'
import { type Addressing, isGroupJid, lidJid, numberJid, toDigits } from '../jid.ts'
import { saveUser, userOf } from '../people.ts'
import { Refused } from '../refused.ts'
import { addPatch, saveKeys } from '../server/app-state-iq.ts'
import { makeOrder, totalOf } from '../server/catalogue-iq.ts'
import { presenceTo, showFace } from '../server/face.ts'
import { changePresence, showTyping } from '../server/presence.ts'
import { changeAbout, changeBusiness, changePicture, hide } from '../server/profile-iq.ts'
import type { CollectionName } from '../world/app-state.ts'
import type { Product } from '../world/catalogue.ts'
import type { Gone } from '../world/companion.ts'
import type { CallRecord, HeldMessage, SentMessage, Tick } from '../world/message.ts'
import type { Network } from '../world/network.ts'
import type { Presence, StatusAudience, TypingState, User } from '../world/person.ts'
import type { Business, ProfilePart } from '../world/profile.ts'
import {
  type ChatChange,
  makePatch,
  nameOfChat,
  type Setting,
  settingsOf,
  type ShownChat,
  shownChat,
  starredIn,
} from './app-state.ts'
import { endCall, startCall } from './calls.ts'
import { changeGone, changePhone, linkCompanion } from './change-devices.ts'
import { companionOf, companionsListed } from './companions.ts'
import type { Content, MessageReference } from './content.ts'
import { chatOf } from './destination.ts'
import { eventChangeMessage } from './calendar-event.ts'
import { editMessage, openOwnEdit } from './edit.ts'
import { openLargeDocument, uploadLargeDocument } from './large-document.ts'
import { type MediaKeyKind, openMedia, openPreview } from './media-content.ts'
import { mediaOf } from './media-retry.ts'
import type { OldChats } from './history.ts'
import { isInUse } from './notify.ts'
import { sendHistory, sendOldChats, shareKeys } from './own-phone.ts'
import { changeReading, markAllRead, markPlayed, readAsOwner } from './reading.ts'
import { refer } from './refer.ts'
import { type EventAnswer, eventAnswerMessage, voteMessage } from './vote.ts'
import { EDIT, type EditOptions, type SendOptions, type Sent, type VoteOptions, write } from './writing.ts'

export interface CallOptions {
  readonly video?: boolean
  /** Whether the call names the caller by hidden identifier (default) or by number. */
  readonly addressing?: Addressing
  /** The call id; generated when absent. */
  readonly id?: string
}

export interface HangUpOptions {
  /** Such as `timeout`; none when absent. */
  readonly reason?: string
  readonly addressing?: Addressing
}

/**
 * A person's phone. Numbers are digits or JIDs; a `target` may also be a group, `status@broadcast` or a list, and so may
 * a `chat`. Sending resolves when the message is saved.
 */
export class Phone {
  readonly #network: Network
  readonly #user: User
  readonly digits: string
  readonly jid: string
  readonly lid: string

  constructor(network: Network, user: User) {
    this.#network = network
    this.#user = user
    this.digits = user.digits
    this.jid = numberJid(user.digits)
    this.lid = lidJid(user.lid)
  }

  /** The name that the phone shows to others. */
  get name(): string {
    return this.#user.name
  }

  set name(name: string) {
    this.#user.name = name
    saveUser(this.#network, this.#user)
  }

  /** The owner gives themselves another name; the linked devices hear of it. */
  async rename(name: string): Promise<void> {
    this.name = name
    const value = { timestamp: nowMs(this.#network), pushNameSetting: { name } }
    await this.changeSettings('critical_block', [{ index: ['setting_pushName'], value }])
  }

  /** The public name by which others can find the owner; the platform adds it to messages. */
  set username(username: string) {
    this.#user.username = username
  }

  /** The owner writes another about, for everyone or as one number sees it; numbers that know the person are told. */
  changeAbout(about: string, to?: string): void {
    changeAbout(about, this.#seenBy(to))
  }

  /** The owner sets a picture, or removes it. */
  changePicture(file: Uint8Array | undefined, to?: string): void {
    changePicture(file, this.#seenBy(to))
  }

  /** What the phone shows of its owner. */
  profile(): { readonly about: string; readonly picture: Buffer | undefined } {
    const { about, picture } = this.#user.profile
    const file = picture && this.#network.media.get(picture.path)
    return { about, picture: file && Buffer.from(file) }
  }

  /** The owner is a business with this profile. */
  changeBusiness(business: Business, to?: string): void {
    changeBusiness(business, this.#seenBy(to))
  }

  /** The owner hides this part of the profile, or shows it again. */
  hide(part: ProfilePart, hidden = true, to?: string): void {
    hide(part, hidden, this.#seenBy(to))
  }

  #seenBy(to: string | undefined): { network: Network; user: User; to: string | undefined } {
    return { network: this.#network, user: this.#user, to: to && toDigits(to) }
  }

  /** A privacy setting, by the platform's name. */
  privacy(name: string): string {
    return this.#user.privacy.get(name) ?? 'all'
  }

  /** The owner changes a privacy setting on the phone. */
  changePrivacy(name: string, value: string): void {
    this.#user.privacy.set(name, value)
    saveUser(this.#network, this.#user)
  }

  /** The owner chooses on the phone who sees status posts. */
  chooseStatusAudience(type: StatusAudience['type'], people: readonly string[] = []): void {
    this.#user.statusAudience = { type, people: people.map(toDigits) }
    saveUser(this.#network, this.#user)
  }

  /** Digits of the people whom the owner has blocked. */
  blocked(): string[] {
    return [...this.#user.blocked]
  }

  /** The owner archives, pins, mutes, labels or marks a chat; the linked devices hear of it. */
  async changeChat(chat: string, change: ChatChange, addressing?: Addressing): Promise<void> {
    const jid = nameOfChat(this.#network, chat, addressing)
    for (const [collection, settings] of settingsOf(this.#network, jid, change)) this.#share(collection, settings)
    await this.#network.journal.saved()
  }

  /** The owner changes settings that the linked devices share, in one patch. */
  async changeSettings(collection: CollectionName, settings: readonly Setting[]): Promise<void> {
    this.#share(collection, settings)
    await this.#network.journal.saved()
  }

  #share(collection: CollectionName, settings: readonly Setting[]): void {
    addPatch(this.#network, this.#user, collection, makePatch(this.#user, collection, settings))
  }

  /** What the phone shows of a chat. */
  chat(chat: string): ShownChat {
    return shownChat(this.#network, this.#user, chat)
  }

  /** The ids of the messages of a chat that the owner has starred. */
  starred(chat: string): string[] {
    return starredIn(this.#network, this.#user, chat)
  }

  /** The phone uses another key for shared settings; its devices get it unless it is kept from them. */
  renewSettingsKey({ isShared = true }: { readonly isShared?: boolean } = {}): void {
    this.#user.appState.keys += 1
    saveKeys(this.#network, this.#user)
    if (isShared) shareKeys(this.#network, this.#user)
  }

  async sendTo(target: string, content: Content, options?: SendOptions): Promise<Sent> {
    return await write(this.#network, this.#user, target, content, options)
  }

  /** What the owner sells, if the owner is a business. */
  products(): readonly Product[] {
    return this.#user.profile.business?.products ?? []
  }

  /** The owner orders products of a business, by their ids with the quantities. */
  async order(
    business: string,
    wanted: Readonly<Record<string, number>>,
  ): Promise<Sent & { orderId: string; token: string }> {
    const seller = userOf(this.#network, toDigits(business))
    const { id, token, currency, items } = makeOrder(
      this.#network,
      seller.profile.business ?? { name: '' },
      new Map(Object.entries(wanted)),
    )
    const orderMessage = {
      orderId: id,
      token,
      orderTitle: seller.profile.business?.name ?? '',
      itemCount: items.length,
      sellerJid: numberJid(seller.digits),
      totalAmount1000: totalOf(items),
      totalCurrencyCode: currency,
    }
    return { ...(await this.sendTo(business, { type: 'raw', message: { orderMessage } })), orderId: id, token }
  }

  /** Reacts to a message the phone holds or has sent; an empty emoji takes the reaction back. */
  async react(target: string, messageId: string, emoji: string, options?: SendOptions): Promise<Sent> {
    const about = this.#about(target, messageId, options)
    return await this.sendTo(target, { type: 'reaction', target: about, emoji }, options)
  }

  async edit(target: string, messageId: string, text: string, options: EditOptions = {}): Promise<Sent> {
    const chat = chatOf(this.#network, this.#user, target, options)
    const about = this.#about(target, messageId, options)
    const message = editMessage(this.#network, this.#user, chat, { ...options, target: about, text })
    return await this.sendTo(target, { type: 'raw', message }, { edit: EDIT, ...options })
  }

  async revoke(target: string, messageId: string, options?: SendOptions): Promise<Sent> {
    return await this.sendTo(target, { type: 'revoke', target: this.#about(target, messageId, options) }, options)
  }

  /** Votes in a poll the phone holds; no options withdraw the vote. */
  async vote(target: string, pollId: string, choices: readonly string[], options: VoteOptions = {}): Promise<Sent> {
    const chat = chatOf(this.#network, this.#user, target, options)
    const message = voteMessage(this.#network, this.#user, chat, { ...options, pollId, choices })
    return await this.sendTo(target, { type: 'raw', message }, options)
  }

  /** Answers an event that the phone holds. */
  async answerEvent(target: string, eventId: string, answer: EventAnswer, options: VoteOptions = {}): Promise<Sent> {
    const chat = chatOf(this.#network, this.#user, target, options)
    const message = eventAnswerMessage(this.#network, this.#user, chat, eventId, answer)
    return await this.sendTo(target, { type: 'raw', message }, options)
  }

  /** Replaces an event that the phone has sent. */
  async changeEvent(
    target: string,
    eventId: string,
    event: proto.Message.IEventMessage,
    options: EditOptions = {},
  ): Promise<Sent> {
    const chat = chatOf(this.#network, this.#user, target, options)
    const message = eventChangeMessage(this.#network, this.#user, chat, eventId, event)
    return await this.sendTo(target, { type: 'raw', message }, { edit: EDIT, ...options })
  }

  /** The ids of the devices linked to the phone, other than gateways. */
  companions(): number[] {
    return companionsListed(this.#user).map(({ id }) => id)
  }

  /** Whether a device of the phone's owner could read a message; 0 is the phone itself. */
  hasRead(messageId: string, device = 0): boolean {
    if (device === 0) return findHeld(this.#user, messageId) !== undefined
    return companionOf(this.#user, device)?.read.has(messageId) === true
  }

  /** Links one more device, or a hosted service, to the phone; returns its device id. */
  linkCompanion({ hosted, isAnnounced }: { readonly hosted?: boolean; readonly isAnnounced?: boolean } = {}): number {
    return linkCompanion(this.#network, this.#user, hosted === true, isAnnounced)
  }

  /** The owner has a new phone, without the keys and sessions of the old one. */
  change(): void {
    changePhone(this.#network, this.#user)
  }

  /** A device is removed but still listed. */
  loseDevice(device: number, gone: Gone = 'error'): void {
    changeGone(this.#network, this.#user, device, gone)
  }

  /** A removed device is back. */
  findDevice(device: number): void {
    changeGone(this.#network, this.#user, device, undefined)
  }

  /** Messages that linked numbers have sent to this phone, decrypted, oldest first. */
  inbox(chat?: string): HeldMessage[] {
    return [...this.#user.inbox.values()].filter(message => isIn(message, chat))
  }

  message(id: string): HeldMessage | undefined {
    return findHeld(this.#user, id)
  }

  /** Messages the phone has sent, oldest first. */
  sent(chat?: string): SentView[] {
    return [...this.#user.sent.values()].filter(message => isIn(message, chat)).map(sent => sentView(this.#user, sent))
  }

  /** How many messages the phone was notified of. */
  get notifications(): number {
    return this.#user.notifications
  }

  /** Whether the owner uses a linked device now. */
  get isInUse(): boolean {
    return isInUse(this.#user)
  }

  /** The phone sleeps: it answers requests of its own devices when it wakes up. */
  sleep(): void {
    this.#network.faults.asleepPhones.set(this.digits, [])
  }

  async wakeUp(): Promise<void> {
    const waiting = this.#network.faults.asleepPhones.get(this.digits) ?? []
    this.#network.faults.asleepPhones.delete(this.digits)
    for (const act of waiting) act()
    await this.#network.journal.saved()
  }

  /** The phone sends requested history in parts of this many messages. */
  sendHistoryInParts(messages: number): void {
    this.#network.faults.historyParts.set(this.digits, messages)
  }

  /** The phone is off: only linked devices of its owner receive messages. */
  turnOff(): void {
    this.#user.isOff = true
  }

  /** The last receipt of a number for a message of this phone. */
  tick(id: string, number: string): Tick | undefined {
    return this.#user.sent.get(id)?.ticks.get(toDigits(number))
  }

  /** Reads a message, or all of a chat, and sends the receipts. */
  read(idOrChat: string): void {
    const isNamed = (held: HeldMessage): boolean => held.id === idOrChat || isIn(held, idOrChat)
    const named = [...this.#user.inbox.values()].filter(held => !held.fromMe && isNamed(held))
    markAllRead(this.#network, named)
  }

  /** The owner of a number reads messages that this person has written to it, or in a group. */
  readAsOwner(author: string, ids: readonly string[], group?: string): void {
    const from = userOf(this.#network, toDigits(author))
    readAsOwner(this.#network, this.#user, { author: from, ids, ...(group !== undefined && { group }) })
  }

  /** Decides whether the phone's owner reads what a number writes; turning it on also reads earlier messages. */
  readFrom(number: string, enabled: boolean): void {
    changeReading(this.#network, this.#user, toDigits(number), enabled)
  }

  readsFrom(number: string): boolean {
    return readsAtAll(this.#user) && !this.#user.unreadFrom.has(toDigits(number))
  }

  /** Plays a voice message or opens a view-once message, and sends the receipt. */
  play(id: string): void {
    markPlayed(this.#network, requireHeld(this.#user, id))
  }

  /** The decrypted file of a message the phone holds. */
  openMedia(id: string): Buffer {
    return openHeldMedia(this.#network, requireHeld(this.#user, id))
  }

  /** The picture of the preview in a text that the phone holds, decrypted and compared with its hash. */
  openPreview(id: string): Buffer {
    return openPreview(this.#network.media, requireHeld(this.#user, id).message)
  }

  /**
   * The decrypted file of a message whose file is too large for memory, piece by piece; the last check may fail after all
   * pieces.
   */
  openLargeMedia(id: string): AsyncGenerator<Buffer> {
    const { message } = requireHeld(this.#user, id)
    return openLargeDocument(this.#network.media, message)
  }

  /** Sends a document that is too large for memory. */
  async sendLargeDocument(target: string, filename: string, content: AsyncIterable<Uint8Array>): Promise<Sent> {
    const document = await uploadLargeDocument(this.#network, filename, content)
    return await this.sendTo(target, { type: 'raw', message: document })
  }

  /** Calls a number: its devices ring. */
  async call(number: string, { id, video = false, addressing = 'lid' }: CallOptions = {}): Promise<CallRecord> {
    const to = userOf(this.#network, toDigits(number))
    const options = { video, addressing, ...(id === undefined ? {} : { id }) }
    const record = startCall(this.#network, this.#user, to, options)
    await this.#network.journal.saved()
    return record
  }

  async hangUp(callId: string, { reason, addressing = 'lid' }: HangUpOptions = {}): Promise<void> {
    const record = this.#user.calls.get(callId)
    if (!record) throw new Refused('there is no such call')
    const to = userOf(this.#network, record.to)
    endCall(this.#network, this.#user, to, callId, { addressing, ...(reason === undefined ? {} : { reason }) })
    await this.#network.journal.saved()
  }

  calls(): CallRecord[] {
    return [...this.#user.calls.values()]
  }

  /** Ids of withheld messages that devices of the number have requested from their phone. */
  askedFor(): string[] {
    return [...this.#user.askedFor]
  }

  /** The phone of a linked number sends its history to its devices, as it does after linking. */
  sendHistory(): void {
    for (const device of this.#user.devices.values()) sendHistory(this.#network, this.#user, device)
  }

  /** The phone sends a further part of its history, with as many chats and messages as real phones have. */
  sendOldChats(old: OldChats): void {
    for (const device of this.#user.devices.values()) sendOldChats(this.#network, this.#user, device, old)
  }

  /** Goes online or offline, for everyone or for one number; notifies devices that subscribed and are available. */
  presence(state: Presence, to?: string): void {
    changePresence(this.#network, this.#user, state, to && toDigits(to))
  }

  isOnline(to: string): boolean {
    return presenceTo(this.#user, toDigits(to)).online
  }

  /** Sets the name that the phone shows only to this number. */
  nameTo(number: string, name: string): void {
    showFace(this.#network, this.#user, toDigits(number), { name })
  }

  /** Shows that the owner types or records; with a group as target, to all its linked members. */
  typing(target: string, state: TypingState): void {
    const { to } = chatOf(this.#network, this.#user, target, {})
    const members = to.kind === 'person' ? [to.peer] : to.members
    const group = isGroupJid(target) ? target : undefined
    for (const member of members) {
      if (member !== this.#user) showTyping(this.#network, this.#user, member, group, state)
    }
  }

  /** The typing state of a number, as the phone shows it. */
  typingFrom(number: string): TypingState {
    return this.#user.typingSeen.get(toDigits(number)) ?? 'paused'
  }

  #about(target: string, id: string, options: SendOptions = {}): MessageReference {
    return refer(this.#network, this.#user, chatOf(this.#network, this.#user, target, options), id)
  }
}

function kindOf(held: HeldMessage): MediaKeyKind {
  const content = normalizeMessageContent(held.message)
  if (content?.imageMessage) return 'image'
  if (content?.videoMessage ?? content?.ptvMessage) return 'video'
  if (content?.audioMessage) return 'audio'
  return content?.stickerMessage ? 'sticker' : 'document'
}

/** Fetches and decrypts the file of a message. */
function openHeldMedia(network: Network, held: HeldMessage): Buffer {
  const media = mediaOf(held.message)
  const file = media?.directPath ? network.media.get(media.directPath) : undefined
  if (!file || !media?.mediaKey) throw new Refused('the message has no file that can be opened')
  return openMedia(file, media.mediaKey, kindOf(held))
}

/** A message that the phone has sent. */
export interface SentView {
  readonly id: string
  readonly chat: string
  readonly timestamp: number
  /** When it was sent, in Unix milliseconds. */
  readonly atMs: number
  readonly message: proto.IMessage
  /** The last receipt of each recipient, by digits. */
  readonly ticks: ReadonlyMap<string, Tick>
}

/** Whether a message is in the chat, given as digits, as a number or as a JID. */
function isIn(message: { readonly chat: string }, chat: string | undefined): boolean {
  return chat === undefined || message.chat === chat || message.chat === toDigits(chat)
}

function findHeld(user: User, id: string): HeldMessage | undefined {
  return [...user.inbox.values()].findLast(held => held.id === id)
}

function requireHeld(user: User, id: string): HeldMessage {
  const found = findHeld(user, id)
  if (!found) throw new Refused('the phone does not hold this message')
  return found
}

function sentView(user: User, { id, chat, timestamp, atMs, ticks, content }: SentMessage): SentView {
  return {
    id,
    chat,
    timestamp,
    atMs,
    ticks,
    // Lazy: most callers do not need the message.
    get message() {
      return openOwnEdit(user, proto.Message.decode(content))
    },
  }
}
