import { isPerson, jidKind } from '../../../domain/jid.ts'
import type { Expiration } from '../remembered/expirations.ts'
import type { GivenToken } from '../remembered/tokens.ts'
import { ProtoStream, type Shape, type Values } from '../wire/proto-stream.ts'

/** What the gateway learns from a history. */
export interface LearnedHistory {
  readonly names: Array<{ lid: string; pn: string }>
  readonly tokens: GivenToken[]
  readonly expirations: Array<{ chat: string; expiration: Expiration }>
  /** For tokens to people who have given none. */
  salt?: Uint8Array
}

const SALT_BYTES = 32
/** Of each kind; a part of a history has fewer. */
const MAX_LEARNED = 100_000
/** A token has some dozen bytes. */
const MAX_TOKEN_BYTES = 256

/** The numbers of the fields that are read. */
const HISTORY = { conversations: 2, mappings: 15, salt: 19 }
const CONVERSATION = {
  id: 1,
  messages: 2,
  expiration: 9,
  expirationSince: 10,
  token: 21,
  tokenAt: 22,
  tokenSentAt: 28,
  phone: 39,
  lid: 42,
}
const MAPPING = { phone: 1, lid: 2 }
const ENTRY = { message: 1 }
const MESSAGE = { key: 1, receipts: 40 }
const KEY = { fromMe: 2 }
const RECEIPT = { person: 1 }

const textOf = (values: Values, field: number): string => {
  const value = values.get(field)
  return value instanceof Uint8Array ? Buffer.from(value).toString() : ''
}
const numberOf = (values: Values, field: number): number => {
  const value = values.get(field)
  return typeof value === 'number' ? value : 0
}

/**
 * Reads a history while it arrives. A history has all messages of the last months; the gateway needs the names of
 * people, the tokens that they have given, and which chats have disappearing messages.
 */
export class HistoryReader {
  readonly learned: LearnedHistory = { names: [], tokens: [], expirations: [] }
  readonly #stream: ProtoStream

  constructor() {
    const { learned } = this
    this.#stream = new ProtoStream({
      bytes: [HISTORY.salt],
      messages: new Map([
        [HISTORY.conversations, conversationOf(learned)],
        [HISTORY.mappings, mappingOf(learned)],
      ]),
      onEnd: values => {
        const salt = values.get(HISTORY.salt)
        if (salt instanceof Uint8Array && salt.length === SALT_BYTES) learned.salt = salt
      },
    })
  }

  push(chunk: Uint8Array): void {
    this.#stream.push(chunk)
  }

  end(): LearnedHistory {
    this.#stream.end()
    return this.learned
  }
}

function mappingOf({ names }: LearnedHistory): Shape {
  return {
    bytes: [MAPPING.phone, MAPPING.lid],
    onEnd: values => addNames(names, textOf(values, MAPPING.lid), textOf(values, MAPPING.phone)),
  }
}

function addNames(names: LearnedHistory['names'], lid: string, pn: string): void {
  if (jidKind(lid) === 'lid' && jidKind(pn) === 'user' && names.length < MAX_LEARNED) names.push({ lid, pn })
}

function conversationOf({ names, tokens, expirations }: LearnedHistory): Shape {
  const { id, messages, expiration, expirationSince, token, tokenAt, tokenSentAt, phone, lid } = CONVERSATION
  return {
    bytes: [id, token, phone, lid],
    numbers: [expiration, expirationSince, tokenAt, tokenSentAt],
    messages: new Map([[messages, entryOf()]]),
    onEnd: values => {
      const chat = textOf(values, id)
      if (!isPerson(chat)) return
      // `entryOf` puts the recipient's number in place of the messages.
      if (jidKind(chat) === 'lid') addNames(names, chat, textOf(values, phone) || textOf(values, messages))
      else addNames(names, textOf(values, lid), chat)
      const [given, issuedAt, sentAt] = [values.get(token), numberOf(values, tokenAt), numberOf(values, tokenSentAt)]
      if (isToken(given) && issuedAt > 0 && tokens.length < MAX_LEARNED)
        tokens.push({ person: chat, token: given, issuedAt, ...(sentAt > 0 && { sentAt }) })
      const seconds = numberOf(values, expiration)
      if (seconds > 0 && expirations.length < MAX_LEARNED)
        expirations.push({ chat, expiration: { seconds, since: numberOf(values, expirationSince) } })
    },
  }
}

const isToken = (value: Uint8Array | number | undefined): value is Uint8Array =>
  value instanceof Uint8Array && value.length > 0 && value.length <= MAX_TOKEN_BYTES

/** A receipt of a message that the number has sent names the recipient by number, even if the chat does not. */
function entryOf(): Shape {
  const receipt: Shape = {
    bytes: [RECEIPT.person],
    onEnd: (values, message) => passOn(values, RECEIPT.person, message, MESSAGE.receipts),
  }
  const key: Shape = {
    numbers: [KEY.fromMe],
    onEnd: (values, message) => void message.set(MESSAGE.key, numberOf(values, KEY.fromMe)),
  }
  const message: Shape = {
    messages: new Map([
      [MESSAGE.key, key],
      [MESSAGE.receipts, receipt],
    ]),
    onEnd: (values, entry) => {
      if (numberOf(values, MESSAGE.key) === 1) passOn(values, MESSAGE.receipts, entry, ENTRY.message)
    },
  }
  return {
    messages: new Map([[ENTRY.message, message]]),
    onEnd: (values, conversation) => passOn(values, ENTRY.message, conversation, CONVERSATION.messages),
  }
}

/** The first one counts. */
function passOn(from: Values, field: number, to: Values, as: number): void {
  const value = from.get(field)
  if (value !== undefined && !to.has(as)) to.set(as, value)
}
