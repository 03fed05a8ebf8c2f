import { createDecipheriv, hkdfSync } from 'node:crypto'
import { proto } from 'baileys'
import type { SeenMessage } from '../../platform.ts'
import type { StoredMessage } from '../received/inbox-item.ts'
import type { SessionContext } from '../session-context.ts'
import { namesOf, ownNames, seenIn } from './names.ts'
import type { People } from './people.ts'

/** Content that is about another message, and encrypted under that message's secret. */
interface SealedContent {
  target: proto.IMessageKey
  payload: Uint8Array
  iv: Uint8Array
  /** What it may have been encrypted for; the label is part of the key, and apps do not agree on all of them. */
  uses: readonly string[]
  read(opened: Uint8Array): proto.IMessage
}

/** By the number of the kind: the library's list ends at 2. */
const USES_OF_CHANGE: ReadonlyMap<number, readonly string[]> = new Map([
  [1, ['Event Edit']],
  [2, ['Message Edit']],
  [4, ['Poll Edit']],
  [5, ['Poll Add Option', 'Poll Edit']],
])

const NONE = new Uint8Array(0)

export function sealedContentOf(content: proto.IMessage): SealedContent | undefined {
  const { secretEncryptedMessage: change, encReactionMessage: reaction, encCommentMessage: comment } = content
  const sealed = change ?? reaction ?? comment
  if (!sealed) return undefined
  const target = sealed.targetMessageKey ?? {}
  const common = { target, payload: sealed.encPayload ?? NONE, iv: sealed.encIv ?? NONE }
  if (reaction) return { ...common, uses: ['Enc Reaction'], read: opened => readReaction(opened, target) }
  if (comment) return { ...common, uses: ['Enc Comment'], read: opened => readComment(opened, target) }
  const uses = USES_OF_CHANGE.get(Number(change?.secretEncType)) ?? []
  return { ...common, uses, read: opened => proto.Message.decode(opened) }
}

function readReaction(opened: Uint8Array, key: proto.IMessageKey): proto.IMessage {
  const { text, senderTimestampMs } = proto.Message.ReactionMessage.decode(opened)
  return { reactionMessage: { key, text, senderTimestampMs } }
}

/** A comment is an answer to the message that it stands under. */
function readComment(opened: Uint8Array, { id, participant }: proto.IMessageKey): proto.IMessage {
  const message = proto.Message.decode(opened)
  const shown = message.commentMessage?.message ?? message
  const text = shown.conversation ?? shown.extendedTextMessage?.text
  if (!text) return shown
  return { extendedTextMessage: { text, contextInfo: { stanzaId: id ?? '', participant: participant ?? '' } } }
}

export type Opened = { ok: true; content: proto.IMessage } | { ok: false; reason: string }

/** Opens it with the secret of the message that it is about, where that is known. */
export async function openSealed(
  context: SessionContext,
  { key }: StoredMessage,
  sealed: SealedContent,
  people: People,
): Promise<Opened> {
  const messageId = sealed.target.id ?? ''
  const about = await seenIn(context, people.chatJid, messageId)
  const secret = about && (await secretOf(context, about))
  if (!secret) return { ok: false, reason: 'sealed_about_unknown' }
  const authors = await namesOf(context, about.fromMe ? ownNames(context) : [about.senderJid])
  const modifiers = await namesOf(context, [key.participant || key.remoteJid, key.participantAlt ?? key.remoteJidAlt])
  for (const info of keyInfos(messageId, authors, modifiers, sealed.uses)) {
    const content = open(sealed, secret, info)
    if (!content) continue
    const changed = content.protocolMessage?.key?.id ?? messageId
    return changed === messageId ? { ok: true, content } : { ok: false, reason: 'sealed_about_other' }
  }
  return { ok: false, reason: 'sealed_unreadable' }
}

/** Which of a person's names went into the key is not told: all are tried. */
function keyInfos(
  messageId: string,
  authors: ReadonlySet<string>,
  modifiers: ReadonlySet<string>,
  uses: readonly string[],
): string[] {
  return [...authors].flatMap(author =>
    [...modifiers].flatMap(modifier => uses.map(use => messageId + author + modifier + use)),
  )
}

const TAG_BYTES = 16

function open({ iv, payload, read }: SealedContent, secret: Uint8Array, info: string): proto.IMessage | undefined {
  try {
    const key = Buffer.from(hkdfSync('sha256', secret, NONE, info, 32))
    const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES })
    decipher.setAuthTag(payload.subarray(-TAG_BYTES))
    return read(Buffer.concat([decipher.update(payload.subarray(0, -TAG_BYTES)), decipher.final()]))
  } catch {
    return undefined
  }
}

/** Of what was sent here the secret is in the copy that is kept for devices that ask again. */
async function secretOf(context: SessionContext, about: SeenMessage): Promise<Uint8Array | undefined> {
  if (about.secret || !about.fromMe) return about.secret
  const copy = await context.storage.readSent(about.messageId)
  return copy && (proto.Message.decode(copy).messageContextInfo?.messageSecret ?? undefined)
}
