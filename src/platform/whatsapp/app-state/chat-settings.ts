import { randomBytes } from 'node:crypto'
import type { proto } from 'baileys'
import { type ChatChange, MUTED_FOREVER_MS, type WantedChat } from '../../../domain/chat.ts'
import type { ChatEvent, ContactEvent } from '../../../domain/event.ts'
import { withoutDevice } from '../../../domain/jid.ts'
import type { InboxItem, Interpretation } from '../../platform.ts'
import type { SessionContext } from '../session-context.ts'
import { unixSeconds } from '../wire/numbers.ts'
import type { CollectionName } from './collection.ts'
import type { Setting } from './records.ts'

/** What a setting says of a chat, a label or the owner, as it is stored until it becomes an event. */
export type ChatSetting =
  | { action: 'archive' | 'pin'; jid: string; isOn: boolean; atMs: number }
  | { action: 'mute'; jid: string; untilMs: number | null; atMs: number }
  | { action: 'read'; jid: string; isRead: boolean; throughMs: number; atMs: number }
  | { action: 'label'; jid: string; label: string; isOn: boolean; atMs: number }
  | { action: 'delete'; jid: string; atMs: number }
  | { action: 'label_name'; label: string; name: string | null }
  | { action: 'own_name'; name: string; atMs: number }

/** Chats that people have. Others, such as lists of recipients, have no place in the API. */
const CHAT = /^\d{1,24}(?:-\d{5,20})?@(?:s\.whatsapp\.net|lid|g\.us)$/
const LABEL = /^[\w-]{1,64}$/
/** Longer than any name that the platform's apps accept. */
const MAX_NAME = 100

/** What a setting says of chats; `undefined` if it is about something else. `isRemoved`: it holds no longer. */
export function chatSettingOf({ index, value }: Setting, isRemoved: boolean, nowMs: number): ChatSetting | undefined {
  const [kind, first = '', second = ''] = index
  const atMs = numberIn(value.timestamp) ?? nowMs
  if (kind === 'label_edit') {
    const { name, deleted } = value.labelEditAction ?? {}
    if (!LABEL.test(first)) return undefined
    return { action: 'label_name', label: first, name: isRemoved || deleted || !name ? null : name.slice(0, MAX_NAME) }
  }
  if (kind === 'label_jid') {
    if (!LABEL.test(first) || !CHAT.test(second)) return undefined
    const isOn = !isRemoved && value.labelAssociationAction?.labeled === true
    return { action: 'label', jid: second, label: first, isOn, atMs }
  }
  if (!CHAT.test(first)) return undefined
  return ofChat(kind ?? '', { jid: first, atMs }, value, isRemoved)
}

/** The owner has another name. */
export const ownName = ({ value }: Setting, name: string, nowMs: number): ChatSetting => ({
  action: 'own_name',
  name: name.slice(0, MAX_NAME),
  atMs: numberIn(value.timestamp) ?? nowMs,
})

function ofChat(
  kind: string,
  frame: { jid: string; atMs: number },
  value: proto.ISyncActionValue,
  isRemoved: boolean,
): ChatSetting | undefined {
  switch (kind) {
    case 'archive':
      return { action: 'archive', ...frame, isOn: !isRemoved && value.archiveChatAction?.archived === true }
    case 'pin_v1':
      return { action: 'pin', ...frame, isOn: !isRemoved && value.pinAction?.pinned === true }
    case 'mute': {
      const { muted, muteEndTimestamp } = value.muteAction ?? {}
      return { action: 'mute', ...frame, untilMs: muted === true && !isRemoved ? muteEnd(muteEndTimestamp) : null }
    }
    case 'markChatAsRead': {
      const { read, messageRange } = value.markChatAsReadAction ?? {}
      const through = unixSeconds(String(messageRange?.lastMessageTimestamp ?? ''))
      const throughMs = through === undefined ? frame.atMs : through * 1000
      return { action: 'read', ...frame, isRead: isRemoved || read === true, throughMs }
    }
    case 'deleteChat':
      return isRemoved ? undefined : { action: 'delete', ...frame }
    default:
      return undefined
  }
}

/** The platform writes a negative number, or none, for a chat that is muted until it is unmuted. */
function muteEnd(value: unknown): number {
  const end = numberIn(value) ?? 0
  return end > 0 ? Math.min(end, MUTED_FOREVER_MS) : MUTED_FOREVER_MS
}

function numberIn(value: unknown): number | undefined {
  const number = value === null || value === undefined ? Number.NaN : Number(value)
  return Number.isSafeInteger(number) ? number : undefined
}

/** The body of an inbox item. */
interface SharedSettings {
  settings: ChatSetting[]
  /** They were shared before the gateway followed the chats: they are no news. */
  isKnown: boolean
  /** With these the gateway has all of them. */
  isWhole: boolean
}

/** Each item is one transaction, with an event for each of its settings if they are news. */
const [MOST_NEWS, MOST_KNOWN] = [100, 500]

/** The inbox items for what the phone shares. All are of one chat, so that they are interpreted in order. */
export function settingItems(name: string, shared: SharedSettings, receivedAtMs: number): InboxItem[] {
  const most = shared.isKnown ? MOST_KNOWN : MOST_NEWS
  const unique = `s/${name}/${randomBytes(12).toString('base64url')}`
  const items: InboxItem[] = []
  for (let at = 0; at < shared.settings.length || (at === 0 && shared.isWhole); at += most) {
    const part: SharedSettings = { ...shared, settings: shared.settings.slice(at, at + most) }
    const body = Buffer.from(JSON.stringify(part))
    items.push({ key: `${unique}/${at}`, kind: 'settings', chat: 'settings', receivedAtMs, body })
  }
  return items
}

/** What the phone shares, as changes of chats, and as events for endpoints that include them. */
export async function interpretSettings(context: SessionContext, body: Uint8Array): Promise<Interpretation> {
  const { settings, isKnown, isWhole } = JSON.parse(Buffer.from(body).toString()) as SharedSettings
  const chats: ChatChange[] = []
  const events: Array<ChatEvent | ContactEvent> = []
  const isNews = !isKnown && (await context.storage.isIncluded('chat'))
  const isOwnNews = !isKnown && (await context.storage.isIncluded('contact'))
  for (const setting of settings) {
    if (setting.action === 'label_name') continue
    if (setting.action === 'own_name') {
      if (isOwnNews) events.push(ownNameEvent(context.sessionId, setting))
      continue
    }
    const jid = await context.lids.phoneFirst(withoutDevice(setting.jid))
    chats.push({ jid, ...changeOf(setting) })
    if (isNews) events.push(eventOf(context.sessionId, jid, setting))
  }
  const labels = settings.flatMap(setting =>
    setting.action === 'label_name' ? [{ id: setting.label, name: setting.name }] : [],
  )
  return { kind: 'chats', events, chats, labels, isWhole }
}

function ownNameEvent(sessionId: string, { name, atMs }: Extract<ChatSetting, { action: 'own_name' }>): ContactEvent {
  const own = { session_id: sessionId, contact_jid: sessionId, contact_phone: sessionId }
  return { kind: 'contact', ...own, action: 'name', name, timestamp_unix: Math.floor(atMs / 1000) }
}

type OfChat = Exclude<ChatSetting, { action: 'label_name' | 'own_name' }>

function changeOf(setting: OfChat): Omit<ChatChange, 'jid'> {
  switch (setting.action) {
    case 'archive':
      return { isArchived: setting.isOn }
    case 'pin':
      return { isPinned: setting.isOn }
    case 'mute':
      return { mutedUntilMs: setting.untilMs }
    case 'read':
      return setting.isRead ? { isMarkedUnread: false, readThroughMs: setting.throughMs } : { isMarkedUnread: true }
    case 'label':
      return { label: { id: setting.label, isOn: setting.isOn } }
    case 'delete':
      return { isDeleted: true }
    default: {
      const never: never = setting
      return never
    }
  }
}

function eventOf(sessionId: string, jid: string, setting: OfChat): ChatEvent {
  const { action } = setting
  const fields: Partial<ChatEvent> =
    action === 'archive'
      ? { archived: setting.isOn }
      : action === 'pin'
        ? { pinned: setting.isOn }
        : action === 'mute'
          ? { muted_until_unix: Math.floor((setting.untilMs ?? 0) / 1000) }
          : action === 'read'
            ? { read: setting.isRead }
            : action === 'label'
              ? { label_id: setting.label, labelled: setting.isOn }
              : {}
  return {
    kind: 'chat',
    session_id: sessionId,
    chat_jid: jid,
    action,
    ...fields,
    timestamp_unix: Math.floor(setting.atMs / 1000),
  }
}

/** A setting for a chat, by the collection that it belongs to; the name of the chat is filled in later. */
export interface WantedSetting {
  collection: CollectionName
  setting(jid: string): Setting
}

/** The settings for what the API changes, in the form and with the versions of the platform's own apps. */
export function settingsFor(wanted: WantedChat, labelled: readonly string[], nowMs: number): WantedSetting[] {
  const timestamp = nowMs
  // The gateway has no list of all messages. No message is newer than now, so the range has all of them.
  const messageRange = { lastMessageTimestamp: Math.floor(nowMs / 1000) }
  const found: WantedSetting[] = []
  const { isArchived, isPinned, isRead, mutedUntilMs, labels } = wanted
  const add = (
    collection: CollectionName,
    index: (jid: string) => string[],
    value: proto.ISyncActionValue,
    version: number,
  ): void => {
    found.push({ collection, setting: jid => ({ index: index(jid), value: { timestamp, ...value }, version }) })
  }
  if (isArchived !== undefined)
    add('regular_low', jid => ['archive', jid], { archiveChatAction: { archived: isArchived, messageRange } }, 3)
  // The platform's own apps keep no archived chat pinned.
  const pinned = isArchived === true ? false : isPinned
  if (pinned !== undefined) add('regular_low', jid => ['pin_v1', jid], { pinAction: { pinned } }, 5)
  if (isRead !== undefined)
    add('regular_low', jid => ['markChatAsRead', jid], { markChatAsReadAction: { read: isRead, messageRange } }, 3)
  if (mutedUntilMs !== undefined) {
    const end = mutedUntilMs === null ? undefined : mutedUntilMs >= MUTED_FOREVER_MS ? -1 : mutedUntilMs
    const muteAction = { muted: mutedUntilMs !== null, ...(end !== undefined && { muteEndTimestamp: end }) }
    add('regular_high', jid => ['mute', jid], { muteAction }, 2)
  }
  const isOn = (id: string): boolean => labels?.includes(id) === true
  const changed =
    labels === undefined ? [] : [...new Set([...labels, ...labelled])].filter(id => isOn(id) !== labelled.includes(id))
  for (const id of changed)
    add('regular', jid => ['label_jid', id, jid], { labelAssociationAction: { labeled: isOn(id) } }, 3)
  return found
}

/** What an accepted change makes of a chat. */
export function changesOf(jid: string, settings: readonly Setting[], nowMs: number): ChatChange[] {
  return settings.flatMap(setting => {
    const read = chatSettingOf(setting, false, nowMs)
    return read === undefined || read.action === 'label_name' || read.action === 'own_name'
      ? []
      : [{ jid, ...changeOf(read) }]
  })
}
