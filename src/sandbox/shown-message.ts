import { numberJid } from '#simulator/jid'
import type { MessageView } from '#simulator/phone/message-view'
import type { Phone } from '#simulator/phone/phone'
import type { SandboxMessage } from '../domain/sandbox.ts'

/** A message on a contact's phone. Its content is decoded only if it is listed. */
export interface Found {
  phone: Phone
  id: string
  chat: string
  from: string
  fromMe: boolean
  timestamp: number
  atMs: number
  view: () => MessageView
  status: SandboxMessage['status']
  copies: number
}

/** Opens the file of a message if the response has room for it. */
export type OpenFile = (found: Found, length: number) => { data?: string; data_omitted?: true }

/** A message as it is listed. */
export function showFound(found: Found, openFile: OpenFile): SandboxMessage {
  const { phone, chat } = found
  const { type, text, location, buttons, ...rest } = found.view()
  return {
    message_id: found.id,
    contact: phone.jid,
    chat_jid: chat.includes('@') ? chat : phone.jid,
    from: numberJid(found.from),
    from_me: found.fromMe,
    type,
    text,
    timestamp_unix: found.timestamp,
    status: found.status,
    copies: found.copies,
    ...showMedia(found, rest, openFile),
    ...(location ? { location } : {}),
    ...showPoll(rest),
    ...(buttons ? { buttons } : {}),
    ...(rest.cards
      ? { cards: rest.cards.map(({ hasPicture, ...card }) => ({ ...card, has_picture: hasPicture })) }
      : {}),
    ...showEvent(rest),
    ...(rest.changedEventId ? { changed_event_id: rest.changedEventId } : {}),
    ...(rest.eventAnswer ? { answered_event_id: rest.eventAnswer.id, event_answer: rest.eventAnswer.answer } : {}),
    ...(rest.album ? { album: rest.album } : {}),
    ...(rest.albumId ? { album_message_id: rest.albumId } : {}),
    ...(rest.forwarded ? { forwarded: true } : {}),
    ...(rest.pin ? { pinned_message_id: rest.pin.id, pin_seconds: rest.pin.seconds } : {}),
    ...(rest.keep ? { kept_message_id: rest.keep.id, kept: rest.keep.kept } : {}),
    ...(rest.quotedId ? { quoted_message_id: rest.quotedId } : {}),
    ...(rest.reactedId ? { reacted_message_id: rest.reactedId } : {}),
  }
}

function showMedia(
  found: Found,
  { media }: Pick<MessageView, 'media'>,
  openFile: OpenFile,
): Pick<SandboxMessage, 'media'> {
  if (!media) return {}
  const { length, ...about } = media
  return { media: { ...about, file_length: length, ...openFile(found, length) } }
}

function showPoll({ poll }: Pick<MessageView, 'poll'>): Pick<SandboxMessage, 'poll'> {
  if (!poll) return {}
  const { selectableCount, ...rest } = poll
  return { poll: { ...rest, selectable_count: selectableCount } }
}

function showEvent({ event }: Pick<MessageView, 'event'>): Pick<SandboxMessage, 'event'> {
  if (!event) return {}
  const { start, end, isCanceled: canceled, ...rest } = event
  return { event: { ...rest, canceled, start_unix: start, ...(end === undefined ? {} : { end_unix: end }) } }
}
