import { proto } from 'baileys'
import type { EventAnswer } from '../../../domain/message-context.ts'
import type { Interpretation } from '../../platform.ts'
import type { StoredMessage } from '../received/inbox-item.ts'
import type { SessionContext } from '../session-context.ts'
import { EVENT_RESPONSE_USE, openWithSecret } from '../wire/message-secret.ts'
import { wholeNumber } from '../wire/numbers.ts'
import { readMessageContext } from './context.ts'
import { frame } from './frame.ts'
import { isMe } from './names.ts'
import { keysAbout } from './open-sealed.ts'
import type { People } from './people.ts'

const NONE = new Uint8Array(0)
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
  const keys = await keysAbout(context, stored, people, id)
  if (!keys) return 'answer_to_unknown_event'
  for (const key of keys) {
    const opened = openWithSecret({ ...key, use: EVENT_RESPONSE_USE }, encIv ?? NONE, encPayload ?? NONE)
    const response = opened && decode(opened)
    const answer = response && ANSWERS.get(Number(response.response))
    if (answer) return { event_message_id: id, answer, guests: wholeNumber(response.extraGuestCount) ?? 0 }
  }
  return 'event_answer_unreadable'
}

function decode(opened: Uint8Array): proto.Message.IEventResponseMessage | undefined {
  try {
    return proto.Message.EventResponseMessage.decode(opened)
  } catch {
    return undefined
  }
}
