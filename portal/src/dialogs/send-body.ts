import { lookUp } from '../look-up.ts'

/** What can be sent, under the names that people use. */
export const CONTENTS = [
  { value: 'text', label: 'Text' },
  { value: 'image', label: 'Picture' },
  { value: 'video', label: 'Video' },
  { value: 'audio', label: 'Audio' },
  { value: 'voice', label: 'Voice message' },
  { value: 'document', label: 'Document' },
  { value: 'sticker', label: 'Sticker' },
  { value: 'location', label: 'Location' },
  { value: 'contact', label: 'Contact card' },
  { value: 'poll', label: 'Poll' },
  { value: 'buttons', label: 'Buttons' },
  { value: 'list', label: 'List' },
  { value: 'reaction', label: 'Reaction' },
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

const CAPTION: ContentField = { name: 'text', label: 'Caption', optional: true }
const BODY: ContentField = { name: 'text', label: 'Text', long: true, value: 'Hello from Postern' }
const URL_FIELD: ContentField = {
  name: 'media_url',
  label: 'URL of the file',
  hint: 'The gateway fetches it when the message goes out: at most 64 MB, answered 200 without a redirect.',
}
const lines = (label: string, value: string): ContentField => ({
  name: 'lines',
  label,
  value,
  long: true,
  hint: 'One on each line.',
})

/** What each content asks for. */
export const CONTENT_FIELDS: Record<ContentKind, readonly ContentField[]> = {
  text: [BODY],
  image: [URL_FIELD, CAPTION],
  video: [URL_FIELD, CAPTION],
  audio: [URL_FIELD],
  voice: [URL_FIELD],
  document: [URL_FIELD, { name: 'filename', label: 'File name', optional: true }, CAPTION],
  sticker: [URL_FIELD],
  location: [
    { name: 'latitude', label: 'Latitude', value: '52.5163' },
    { name: 'longitude', label: 'Longitude', value: '13.3777' },
    { name: 'name', label: 'Name', value: 'Brandenburg Gate', optional: true },
  ],
  contact: [
    { name: 'name', label: 'Name', value: 'Ada Lovelace' },
    { name: 'phone', label: 'Phone number', value: '+15551234567' },
  ],
  poll: [{ name: 'name', label: 'Question', value: 'Which day?' }, lines('Options', 'Monday\nTuesday')],
  buttons: [{ ...BODY, value: 'Do you come?' }, lines('Buttons', 'Yes\nNo')],
  list: [
    { ...BODY, value: 'What would you like?' },
    { name: 'button_text', label: 'Text of the button', value: 'Choose' },
    lines('Rows', 'Coffee\nTea'),
  ],
  reaction: [
    { name: 'reacted_message_id', label: 'Id of the message', hint: 'The message_id of the incoming event.' },
    { name: 'text', label: 'Emoji', value: '👍' },
  ],
}

export type ContentValues = Record<string, string>

export const firstValues = (kind: ContentKind): ContentValues =>
  Object.fromEntries(CONTENT_FIELDS[kind].map(({ name, value = '' }) => [name, value]))

/** The content as the interface takes it. */
export function contentOf(kind: ContentKind, values: ContentValues) {
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
      return { media_type: kind, media_url: value('media_url'), ...given('text', 'filename') }
  }
}
