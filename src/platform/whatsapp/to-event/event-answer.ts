import { createDecipheriv, hkdfSync } from 'node:crypto'
import { proto } from 'baileys'
import type { EventAnswer } from '../../../domain/message-context.ts'
import type { Interpretation } from '../../platform.ts'
import type { StoredMessage } from '../received/inbox-item.ts'
import type { SessionContext } from '../session-context.ts'
import { wholeNumber } from '../wire/numbers.ts'
import { readMessageContext } from './context.ts'
import { frame } from './frame.ts'
import { isMe, namesOf, ownNames, seenIn, senderNames } from './names.ts'
import { secretOf } from './open-sealed.ts'
import type { People } from './people.ts'

const TAG_BYTES = 16
const NO_SALT = new Uint8Array(0)
const { GOING, NOT_GOING, MAYBE } = proto.Message.EventResponseMessage.EventResponseType

const ANSWERS: ReadonlyMap<number, EventAnswer['answer']> = new Map([
  [GOING, 'going'],
  [NOT_GOING, 'not_going'],
  [MAYBE, 'maybe'],
])

/** An answer to an event has no words: only endpoints that include `context` get it. */
export async function interpretEventAnswer(
  context: SessionContext,
  stored: StoredMessage,
  sealed: proto.Message.IEncEventResponseMessage,
  people: People,
): Promise<Interpretation> {
  if (!(await context.storage.isIncluded('context'))) return { kind: 'none', reason: 'event_answer' }
  const answer = await openAnswer(context, stored, sealed, people)
  if (typeof answer === 'string') return { kind: 'none', reason: answer }
  return {
    kind: 'events',
    events: [{ ...frame(context, stored, people), type: 'other', text: '' }],
    forEndpoints: {
      requires: 'context',
      extras: { context: { ...readMessageContext({}, {}, await isMe(context)), event_answer: answer } },
    },
  }
}

/** The reason if it cannot be read. */
async function openAnswer(
  context: SessionContext,
  stored: StoredMessage,
  { eventCreationMessageKey, encPayload, encIv }: proto.Message.IEncEventResponseMessage,
  people: People,
): Promise<EventAnswer | string> {
  const id = eventCreationMessageKey?.id ?? ''
  const about = await seenIn(context, people.chatJid, id)
  const secret = about && (await secretOf(context, about))
  if (!secret) return 'answer_to_unknown_event'
  const authors = await namesOf(context, about.fromMe ? ownNames(context) : [about.senderJid])
  const persons = await senderNames(context, stored)
  // It is unknown which of a person's names is part of the key, so all are tried.
  for (const author of authors)
    for (const person of persons) {
      const opened = open(secret, { id, author, person }, encIv ?? NO_SALT, encPayload ?? NO_SALT)
      const answer = opened && ANSWERS.get(Number(opened.response))
      if (answer) return { event_message_id: id, answer, guests: wholeNumber(opened.extraGuestCount) ?? 0 }
    }
  return 'event_answer_unreadable'
}

function open(
  secret: Uint8Array,
  { id, author, person }: { id: string; author: string; person: string },
  iv: Uint8Array,
  payload: Uint8Array,
): proto.Message.IEventResponseMessage | undefined {
  try {
    const key = Buffer.from(hkdfSync('sha256', secret, NO_SALT, `${id}${author}${person}Event Response`, 32))
    const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES })
    decipher.setAAD(Buffer.from(`${id}\u0000${person}`))
    decipher.setAuthTag(payload.subarray(-TAG_BYTES))
    const opened = Buffer.concat([decipher.update(payload.subarray(0, -TAG_BYTES)), decipher.final()])
    return proto.Message.EventResponseMessage.decode(opened)
  } catch {
    return undefined
  }
}
