import { queryOptions } from '@tanstack/react-query'
import { api, take } from '../api/client.ts'
import type { SandboxMessage } from '../api/records.ts'
import { phoneOf } from '../api/sessions.ts'
import { showPhone } from '../phone-number.ts'
import { lookUp } from '../look-up.ts'
import { t } from '../t.ts'

/** A chat as one contact sees it: with the number, or in a group that both are in. */
export interface Chat {
  /** The contact, and after a slash the group, as in the URL. */
  key: string
  contact: string
  /** The JID of a group, or the name of one that the first message creates. */
  group?: string
  messages: SandboxMessage[]
}

/** The default contact. */
export const FIRST_CONTACT = '15551234567'

/** The live stream reports changes; polling covers those that it does not report, such as read receipts. */
const REFRESH_MS = 1_500

/** The messages on the contacts' phones, newest first: of all contacts, or of one with its files. */
export const heldQuery = (sessionId: string, contact?: string) =>
  queryOptions({
    queryKey: ['held', sessionId, contact ?? 'all'],
    queryFn: () =>
      take(
        api.GET('/sandbox/sessions/{id}/messages', {
          params: { path: { id: sessionId }, query: { limit: 100, contact, include_media: contact !== undefined } },
        }),
      ),
    refetchInterval: REFRESH_MS,
  })

export function parseKey(key: string): { contact: string; group?: string } {
  const slash = key.indexOf('/')
  return slash === -1 ? { contact: key } : { contact: key.slice(0, slash), group: key.slice(slash + 1) }
}

export const keyOf = (contact: string, group?: string): string =>
  group === undefined ? contact : `${contact}/${group}`

/** The chats of a number, newest first, each with its messages from old to new. */
export function chatsOf(held: readonly SandboxMessage[]): Chat[] {
  const chats = new Map<string, Chat>()
  for (const message of held) {
    const group = message.chat_jid.endsWith('@g.us') ? message.chat_jid : undefined
    const contact = phoneOf(message.contact)
    const key = keyOf(contact, group)
    const chat = chats.get(key) ?? { key, contact, ...(group && { group }), messages: [] }
    chat.messages.unshift(message)
    chats.set(key, chat)
  }
  return [...chats.values()]
}

const NAMES_KEY = 'postern.contacts'
const FIRST_NAMES: Record<string, string> = { [FIRST_CONTACT]: 'Ada' }

function names(): Record<string, string> {
  try {
    return { ...FIRST_NAMES, ...(JSON.parse(localStorage.getItem(NAMES_KEY) ?? '{}') as Record<string, string>) }
  } catch {
    return FIRST_NAMES
  }
}

/** The contact's name on its own phone, stored in this browser. */
export const contactName = (contact: string): string => lookUp(names(), contact) ?? showPhone(contact)

export function nameContact(contact: string, name: string): void {
  localStorage.setItem(NAMES_KEY, JSON.stringify({ ...names(), [contact]: name }))
}

export const chatTitle = (chat: Pick<Chat, 'contact' | 'group'>): string =>
  chat.group === undefined
    ? contactName(chat.contact)
    : t('{contact} in {value}', {
        contact: contactName(chat.contact),
        value: chat.group.endsWith('@g.us') ? t('group {value}', { value: phoneOf(chat.group).slice(-6) }) : chat.group,
      })

const TYPE_WORDS: Record<string, string> = {
  image: t('Photo'),
  voice: t('Voice message'),
  audio: t('Audio'),
  video: t('Video'),
  sticker: t('Sticker'),
  document: t('Document'),
  location: t('Location'),
  poll: t('Poll'),
  album: t('Album'),
  pin: t('Pinned a message'),
  keep: t('Kept a message'),
}

const ANSWER_WORDS: Record<string, string> = {
  going: t('Goes to the event'),
  not_going: t('Does not go to the event'),
  maybe: t('May go to the event'),
}

export function preview(message: SandboxMessage | undefined): string {
  if (message === undefined) return t('No message yet')
  if (message.pin_seconds === 0) return t('Unpinned a message')
  if (message.kept === false) return t('No longer keeps a message')
  if (message.event?.canceled) return t('Cancelled: {name}', { name: message.event.name })
  if (message.event_answer) return lookUp(ANSWER_WORDS, message.event_answer) ?? message.event_answer
  return message.text || lookUp(TYPE_WORDS, message.type) || message.type
}
