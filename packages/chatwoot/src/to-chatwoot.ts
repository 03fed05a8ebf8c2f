import { digitsOf } from './jid.ts'
import type { Upload } from './chatwoot-api.ts'
import { toMarkdown } from './formatting.ts'
import type { ReceivedMessage } from './from-event.ts'

/** A message for Chatwoot; `about` is the message that it replies to or changes. */
export interface Shown {
  content: string
  isPrivate: boolean
  about: string | null
  upload?: Upload | undefined
}

/** Describes in words what Chatwoot cannot show. What needs no reply becomes a private note. */
export function shownAs(message: ReceivedMessage): Shown {
  const { reacted_message_id: reacted, revoked_message_id: revoked, edited_message_id: edited } = message
  if (revoked !== undefined) return note(`${whoOf(message)} deleted this message.`, revoked)
  if (reacted !== undefined) {
    return note(`${whoOf(message)} ${reactionOf(message.text)}.`, reacted)
  }
  const upload = uploadOf(message)
  const said = [toMarkdown(message.text), upload === undefined ? wordsFor(message) : ''].filter(Boolean)
  const before = [
    ...(message.is_group ? [`**${whoOf(message)}**`] : []),
    ...(edited === undefined ? [] : ['*edited:*']),
  ]
  return {
    content: [...before, ...said].join('\n'),
    isPrivate: false,
    about: edited ?? message.quoted_message_id ?? null,
    upload,
  }
}

/** Agents trust a private note, so it never quotes what a contact wrote: a reaction can have any text, links included. */
const EMOJI =
  /^(?:\p{Extended_Pictographic}|\p{Regional_Indicator}|\p{Emoji_Modifier}|[0-9#*](?=\ufe0f?\u20e3)|\u200d|\ufe0f|\u20e3|[\u{e0020}-\u{e007f}]){1,20}$/u

function reactionOf(text: string): string {
  if (text === '') return 'took the reaction back'
  return EMOJI.test(text) ? `reacted with ${text}` : 'reacted with something that is not an emoji'
}

const note = (content: string, about: string): Shown => ({ content, isPrivate: true, about })

/** The sender's name, with the number if it is known. */
function whoOf({ sender_name, sender_jid, sender_phone }: ReceivedMessage): string {
  const phone = sender_phone ?? (sender_jid.endsWith('@lid') ? undefined : sender_jid)
  const number = phone === undefined ? undefined : `+${digitsOf(phone)}`
  const name = sender_name.replace(/[*_~`[\]<>\\|\p{Cc}\p{Zl}\p{Zp}]|:\/\//gu, ' ').trim()
  if (name === '') return number ?? `Hidden number ${digitsOf(sender_jid)}`
  return number === undefined ? name : `${name} (${number})`
}

function uploadOf({ media, type, message_id }: ReceivedMessage): Upload | undefined {
  if (media?.status !== 'downloaded' || media.data === '') return undefined
  const extension = media.extension.replace(/[^\w]/g, '')
  return {
    bytes: Buffer.from(media.data, 'base64'),
    filename: media.filename ?? `${type}-${message_id.slice(0, 40)}${extension === '' ? '' : `.${extension}`}`,
    mimetype: media.mimetype.split(';')[0]!.trim(),
  }
}

function wordsFor({ type, text, media, location, poll }: ReceivedMessage): string {
  if (media !== undefined) return `[${media.filename ?? type}: ${whyNot(media)}]`
  if (location !== undefined) {
    const { latitude, longitude, name, address } = location
    const where = `https://www.google.com/maps?q=${latitude},${longitude}`
    return [name, address, where].filter(Boolean).join('\n')
  }
  if (poll !== undefined) return ['[poll]', ...poll.options.map(option => `- ${option}`)].join('\n')
  return text === '' ? '[a message that can be opened on the phone alone]' : ''
}

function whyNot({ status, file_length }: { status: string; file_length: number }): string {
  const size = `${(file_length / 1_048_576).toFixed(1)} MB`
  return status === 'too_large'
    ? `${size}, too large to be brought here; it is on the phone`
    : 'it could not be fetched'
}
