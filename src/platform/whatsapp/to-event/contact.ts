import { type BinaryNode, getBinaryNodeChild } from 'baileys'
import type { ContactEvent, MessageEvent } from '../../../domain/event.ts'
import { isPerson, withoutDevice } from '../../../domain/jid.ts'
import { resolveWithin } from '../../../runtime/deadline.ts'
import type { Interpretation } from '../../platform.ts'
import { queryAbout, queryPicture } from '../remembered/contact-queries.ts'
import type { SessionContext } from '../session-context.ts'
import { ownPartIn } from '../wire/announced-change.ts'
import { notificationLabel } from '../wire/labels.ts'
import { secondsOr } from '../wire/numbers.ts'
import { ownNames } from './names.ts'

/** The text of an about has 139 characters at most; the platform's own apps accept no longer one. */
const MAX_ABOUT = 1_000
/** Other notifications wait meanwhile. */
const ANSWER_MS = 5_000

type Change = Pick<ContactEvent, 'action' | 'about' | 'picture_id' | 'new_jid'>

/** Changes of people are events only for endpoints that include them. */
export async function interpretContactChange(
  context: SessionContext,
  stanza: BinaryNode,
  receivedAtMs: number,
): Promise<Interpretation> {
  const { type = '', from = '', t } = stanza.attrs
  if (!(await context.storage.isIncluded('contact'))) return { kind: 'none', reason: notificationLabel(type) }
  const isOwn = ownNames(context).includes(withoutDevice(from))
  if (isOwn !== (type === 'account_sync')) return { kind: 'none', reason: 'contact_change_own' }
  const change = await readChange(context, stanza)
  if (!change) return { kind: 'none', reason: 'contact_change_unknown' }
  const event = { ...(await frameOf(context, personIn(stanza))), ...change, timestamp_unix: secondsOr(t, receivedAtMs) }
  return { kind: 'events', events: [event] }
}

/** A changed number names the former one. */
function personIn(stanza: BinaryNode): string {
  const former = getBinaryNodeChild(stanza, 'modify')?.attrs.old
  return withoutDevice(former !== undefined && isPerson(former) ? former : stanza.attrs.from!)
}

async function readChange(context: SessionContext, stanza: BinaryNode): Promise<Change | undefined> {
  const child = (tag: string): BinaryNode | undefined => getBinaryNodeChild(stanza, tag)
  switch (stanza.attrs.type) {
    case 'picture': {
      const set = child('set')
      if (set) return { action: 'picture', picture_id: set.attrs.id ?? '' }
      return child('delete') && { action: 'picture', picture_id: '' }
    }
    case 'account_sync':
      return await readOwnChange(context, ownPartIn(stanza)!.tag)
    case 'status': {
      const set = child('set')
      return set && { action: 'about', ...(await aboutIn(context, stanza.attrs.from!, set)) }
    }
    case 'contacts': {
      const { new: next } = child('modify')?.attrs ?? {}
      return isPerson(next) ? { action: 'number', new_jid: withoutDevice(next!) } : undefined
    }
    default:
      return undefined
  }
}

/** The owner has changed the picture or the about of the number on the phone. */
async function readOwnChange(context: SessionContext, part: string): Promise<Change> {
  if (part === 'status') return { action: 'about', ...(await aboutNow(context, context.sessionId)) }
  const sock = context.link.current()?.sock
  const asked = sock && queryPicture(context, sock, context.sessionId, 'preview').catch(() => undefined)
  const picture = asked && (await resolveWithin(context.clock, ANSWER_MS, asked))
  if (picture === undefined || picture === 'hidden') return { action: 'picture' }
  return { action: 'picture', picture_id: picture === 'none' ? '' : picture.id }
}

/** The platform may announce only that the about has changed. */
async function aboutIn(context: SessionContext, from: string, set: BinaryNode): Promise<{ about?: string }> {
  const { content } = set
  if (content instanceof Uint8Array) return { about: Buffer.from(content).toString().slice(0, MAX_ABOUT) }
  return await aboutNow(context, withoutDevice(from))
}

async function aboutNow(context: SessionContext, jid: string): Promise<{ about?: string }> {
  const sock = context.link.current()?.sock
  const asked = sock && queryAbout(sock, jid).catch(() => undefined)
  const about = asked && (await resolveWithin(context.clock, ANSWER_MS, asked))
  return about === undefined ? {} : { about: about.slice(0, MAX_ABOUT) }
}

/** Stores the name in a message; the event if the person had another one before and an endpoint includes contacts. */
export async function noteName(context: SessionContext, message: MessageEvent): Promise<ContactEvent | undefined> {
  const { sender_jid: sender, sender_phone: phone, sender_name: given, message_id: id } = message
  const name = await context.contactNames.note(phone ?? sender, given, id)
  if (name === undefined || !(await context.storage.isIncluded('contact'))) return undefined
  return { ...(await frameOf(context, sender)), action: 'name', name, timestamp_unix: message.timestamp_unix }
}

type Frame = Pick<ContactEvent, 'kind' | 'session_id' | 'contact_jid' | 'contact_phone'>

async function frameOf({ sessionId, lids }: SessionContext, person: string): Promise<Frame> {
  const phone = await lids.phoneOf(person)
  return {
    kind: 'contact',
    session_id: sessionId,
    contact_jid: phone ?? person,
    ...(phone !== undefined && { contact_phone: phone }),
  }
}
