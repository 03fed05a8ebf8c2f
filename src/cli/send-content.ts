import { ConfigError } from '../boot/config-error.ts'
import { between } from './number-client.ts'

/** The options of `postern send` that say what is sent. */
export interface ContentOptions {
  text?: string
  file?: string
  'media-url'?: string
  'media-id'?: string
  'media-type'?: string
  'view-once'?: boolean
  location?: string
  contact?: string
  poll?: string
  options?: string
  choose?: string
  buttons?: string
  react?: string
  forward?: string
  'reply-to'?: string
  'typing-ms'?: string
  priority?: string
  at?: string
  fields?: string
}

export const CONTENT_HELP = `  --text        the text, the caption of a file, the text above buttons, or the
                emoji of a reaction
  --file        a file on this machine, a document of up to 2 GiB. The command
                uploads it and chooses the media type by its extension
  --media-url   the URL of a file; needs --media-type
  --media-id    a file that you uploaded or received (med_…); needs --media-type
  --media-type  image, video, audio, voice, document or sticker
  --view-once   the picture, video or voice message opens only once
  --location    latitude and longitude, and a name: 52.5163,13.3777,Office
  --contact     a name and a number: "Ada Lovelace,+1 555 123 4567". Separate
                several contacts by semicolons
  --poll        the question of a poll; needs --options
  --options     its options, separated by commas
  --choose      how many options a person may choose, 0 for any. Default: 1
  --buttons     the buttons below the text, separated by commas. A button
                answers you, or is TEXT=https://…, TEXT=tel:+1… or
                TEXT=copy:CODE
  --react       the message to react to with the emoji of --text
  --forward     a message that the number sent in the last 7 days, to send again
  --reply-to    the message that this one answers
  --typing-ms   for how long the chat shows typing before, up to 30000
  --priority    high: before waiting messages to other chats. Or normal
  --at          when to send it, at most 30 days ahead: 2026-01-31T12:00:00Z
  --fields      more fields of the message as the API names them, as JSON:
                '{"event": {"name": "Launch", "start": "2026-01-31T12:00:00Z"}}'`

const FILES = ['file', 'media-url', 'media-id'] as const
const OTHERS = ['location', 'contact', 'poll', 'buttons', 'react', 'forward'] as const

/** The fields of the message, except those of a file that has to be uploaded first. The gateway validates them. */
export function contentOf(options: ContentOptions): Record<string, unknown> {
  const files = FILES.filter(name => options[name] !== undefined)
  if (files.length > 1) throw tooMany(files, 'file')
  const contents = [...files, ...OTHERS.filter(name => options[name] !== undefined)]
  if (contents.length > 1) throw tooMany(contents, 'content')
  if (contents.length === 0 && options.text === undefined && options.fields === undefined)
    throw new ConfigError('--text is missing. Give it, or --media-type and --media-url, or --file.')
  for (const name of ['options', 'choose'] as const)
    if (options[name] !== undefined && options.poll === undefined)
      throw new ConfigError(`--${name} goes only with --poll: give the question with --poll.`)
  const { text, location, contact, poll, buttons, react, forward, priority, at } = options
  return {
    ...(text !== undefined && { text }),
    ...(options['media-url'] !== undefined && { media_url: options['media-url'] }),
    ...(options['media-id'] !== undefined && { media_id: options['media-id'] }),
    ...(options['media-type'] !== undefined && { media_type: options['media-type'] }),
    ...(options['view-once'] === true && { view_once: true }),
    ...(location !== undefined && { location: locationOf(location) }),
    ...(contact !== undefined && { contacts: contact.split(';').map(contactOf) }),
    ...(poll !== undefined && { poll: pollOf(poll, options) }),
    ...(buttons !== undefined && { buttons: between(buttons).map(buttonOf) }),
    ...(react !== undefined && { reacted_message_id: react }),
    ...(forward !== undefined && { forward_message_id: forward }),
    ...(options['reply-to'] !== undefined && { quoted_message_id: options['reply-to'] }),
    ...(options['typing-ms'] !== undefined && { typing_ms: wholeNumber('--typing-ms', options['typing-ms']) }),
    ...(priority !== undefined && { priority }),
    ...(at !== undefined && { send_at: at }),
    ...(options.fields !== undefined && fieldsOf(options.fields)),
  }
}

function tooMany(names: readonly string[], what: 'file' | 'content'): ConfigError {
  const given = names.map(name => `--${name}`).join(' and ')
  return new ConfigError(`${given} were given: a message has one ${what}. Leave one of them out.`)
}

function locationOf(given: string): object {
  const [, latitude, longitude, name] = /^\s*(-?\d+(?:\.\d+)?)\s*,\s*(-?\d+(?:\.\d+)?)\s*(?:,(.*))?$/.exec(given) ?? []
  if (latitude === undefined || longitude === undefined)
    throw new ConfigError(`--location is "${given}": give latitude and longitude, such as 52.5163,13.3777.`)
  const named = name?.trim()
  return { latitude: Number(latitude), longitude: Number(longitude), ...(named && { name: named }) }
}

function contactOf(given: string): object {
  const at = given.lastIndexOf(',')
  const [name, phone] = [given.slice(0, at).trim(), given.slice(at + 1).trim()]
  if (at === -1 || name === '' || phone === '')
    throw new ConfigError(`--contact is "${given.trim()}": give a name and a number, such as "Ada,+15551234567".`)
  return { name, phone }
}

function pollOf(name: string, { options, choose }: ContentOptions): object {
  if (options === undefined) throw new ConfigError('--options is missing: the options of the poll, such as "Yes,No".')
  return {
    name,
    options: between(options),
    ...(choose !== undefined && { selectable_count: wholeNumber('--choose', choose) }),
  }
}

function buttonOf(given: string, at: number): object {
  const [, text, target] = /^(.+?)=((?:https?:\/\/|tel:|copy:).+)$/.exec(given) ?? []
  if (text === undefined || target === undefined) return { text: given, id: `button-${at + 1}` }
  if (target.startsWith('tel:')) return { type: 'call', text, phone: target.slice('tel:'.length) }
  if (target.startsWith('copy:')) return { type: 'copy', text, code: target.slice('copy:'.length) }
  return { type: 'url', text, url: target }
}

function wholeNumber(flag: string, given: string): number {
  if (!/^\d{1,9}$/.test(given)) throw new ConfigError(`${flag} is "${given}": give a whole number.`)
  return Number(given)
}

function fieldsOf(given: string): object {
  let fields: unknown
  try {
    fields = JSON.parse(given)
  } catch {
    fields = undefined
  }
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields))
    throw new ConfigError(`--fields must be a JSON object such as '{"quoted_text": "Hello"}'.`)
  return fields
}

/** The option that sets a field, for the error of a rejected message. */
const OPTION_OF: ReadonlyMap<string, string> = new Map([
  ['session_id', 'session'],
  ['to', 'to'],
  ['Idempotency-Key', 'id'],
  ['text', 'text'],
  ['media_url', 'media-url'],
  ['media_id', 'media-id'],
  ['media_type', 'media-type'],
  ['view_once', 'view-once'],
  ['location', 'location'],
  ['contacts', 'contact'],
  ['poll', 'poll'],
  ['poll.options', 'options'],
  ['poll.selectable_count', 'choose'],
  ['buttons', 'buttons'],
  ['reacted_message_id', 'react'],
  ['forward_message_id', 'forward'],
  ['quoted_message_id', 'reply-to'],
  ['typing_ms', 'typing-ms'],
  ['priority', 'priority'],
  ['send_at', 'at'],
])

export function optionFor(param: string): string | undefined {
  const field = param.replace(/\[\d+\]|\.\d+(?=\.|$)/g, '')
  const option = OPTION_OF.get(field) ?? OPTION_OF.get(field.split('.')[0]!)
  return option === undefined ? undefined : `--${option}`
}
