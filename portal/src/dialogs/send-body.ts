import { lookUp } from '../look-up.ts'
import { t } from '../t.ts'

/** The kinds of content, with the names that people use. */
export const CONTENTS = [
  { value: 'text', label: t('Text') },
  { value: 'image', label: t('Picture') },
  { value: 'video', label: t('Video') },
  { value: 'audio', label: t('Audio') },
  { value: 'voice', label: t('Voice message') },
  { value: 'document', label: t('Document') },
  { value: 'sticker', label: t('Sticker') },
  { value: 'location', label: t('Location') },
  { value: 'contact', label: t('Contact card') },
  { value: 'poll', label: t('Poll') },
  { value: 'buttons', label: t('Buttons') },
  { value: 'list', label: t('List') },
  { value: 'reaction', label: t('Reaction') },
] as const
export type ContentKind = (typeof CONTENTS)[number]['value']

export interface ContentField {
  name: string
  label: string
  value?: string
  long?: boolean
  optional?: boolean
  hint?: string
}

const CAPTION: ContentField = { name: 'text', label: t('Caption'), optional: true }
const BODY: ContentField = { name: 'text', label: t('Text'), long: true, value: 'Hello from Postern' }
const URL_FIELD: ContentField = {
  name: 'media_url',
  label: t('URL of the file'),
  hint: t('The gateway fetches it when it sends the message: at most 64 MB, status 200, no redirect.'),
}
const lines = (label: string, value: string): ContentField => ({
  name: 'lines',
  label,
  value,
  long: true,
  hint: t('One on each line.'),
})

/** The fields of each kind of content. */
const CONTENT_FIELDS: Record<ContentKind, readonly ContentField[]> = {
  text: [BODY],
  image: [URL_FIELD, CAPTION],
  video: [URL_FIELD, CAPTION],
  audio: [URL_FIELD],
  voice: [URL_FIELD],
  document: [URL_FIELD, { name: 'filename', label: t('File name'), optional: true }, CAPTION],
  sticker: [URL_FIELD],
  location: [
    { name: 'latitude', label: t('Latitude'), value: '52.5163' },
    { name: 'longitude', label: t('Longitude'), value: '13.3777' },
    { name: 'name', label: t('Name'), value: 'Brandenburg Gate', optional: true },
  ],
  contact: [
    { name: 'name', label: t('Name'), value: 'Ada Lovelace' },
    { name: 'phone', label: t('Phone number'), value: '+15551234567' },
  ],
  poll: [{ name: 'name', label: t('Question'), value: t('Which day?') }, lines(t('Options'), t('Monday\nTuesday'))],
  buttons: [{ ...BODY, value: t('Do you come?') }, lines(t('Buttons'), t('Yes\nNo'))],
  list: [
    { ...BODY, value: t('What would you like?') },
    { name: 'button_text', label: t('Text of the button'), value: t('Choose') },
    lines(t('Rows'), t('Coffee\nTea')),
  ],
  reaction: [
    { name: 'reacted_message_id', label: t('Id of the message'), hint: t('The message_id of the incoming event.') },
    { name: 'text', label: t('Emoji'), value: '👍' },
  ],
}

/** Of every content but a reaction, which names its message itself. */
const REPLY_FIELD: ContentField = {
  name: 'quoted_message_id',
  label: t('Reply to'),
  optional: true,
  hint: t('The message_id of a message of the chat that you received, or the msg_… of one that you sent.'),
}

/** The fields that the dialog shows for a kind of content. */
export const fieldsFor = (kind: ContentKind): readonly ContentField[] =>
  kind === 'reaction' ? CONTENT_FIELDS[kind] : [...CONTENT_FIELDS[kind], REPLY_FIELD]

/** The file types of every kind of content that has a file. */
const FILES: Partial<Record<ContentKind, string>> = {
  image: 'image/*',
  video: 'video/*',
  audio: 'audio/*',
  voice: 'audio/*',
  document: '',
  sticker: 'image/webp',
}
export const filesFor = (kind: ContentKind): string | undefined => lookUp(FILES, kind)

export type ContentValues = Record<string, string>

export const firstValues = (kind: ContentKind): ContentValues =>
  Object.fromEntries(fieldsFor(kind).map(({ name, value = '' }) => [name, value]))

/** The content as the API expects it. */
export function contentOf(kind: ContentKind, values: ContentValues) {
  const quoted = lookUp(values, REPLY_FIELD.name)?.trim()
  return { ...ownContent(kind, values), ...(quoted && { quoted_message_id: quoted }) }
}

function ownContent(kind: ContentKind, values: ContentValues) {
  const value = (name: string) => lookUp(values, name) ?? ''
  const given = (...names: string[]) =>
    Object.fromEntries(names.filter(name => value(name) !== '').map(name => [name, value(name)]))
  const rows = value('lines')
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
  switch (kind) {
    case 'text':
      return { text: value('text') }
    case 'location': {
      const { latitude, longitude } = values
      return { location: { latitude: Number(latitude), longitude: Number(longitude), ...given('name') } }
    }
    case 'contact':
      return { contacts: [{ name: value('name'), phone: value('phone') }] }
    case 'poll':
      return { poll: { name: value('name'), options: rows, selectable_count: 1 } }
    case 'buttons':
      return { text: value('text'), buttons: rows.map((text, at) => ({ id: `button-${at + 1}`, text })) }
    case 'list': {
      const sections = [{ rows: rows.map((title, at) => ({ id: `row-${at + 1}`, title })) }]
      return { text: value('text'), list: { button_text: value('button_text'), sections } }
    }
    case 'reaction':
      return { reacted_message_id: value('reacted_message_id'), text: value('text') }
    default:
      return { media_type: kind, ...given('media_id', 'media_url', 'text', 'filename') }
  }
}
