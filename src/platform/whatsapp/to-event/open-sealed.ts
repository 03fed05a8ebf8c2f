import { proto } from 'baileys'
import type { SeenMessage } from '../../platform.ts'
import type { StoredMessage } from '../received/inbox-item.ts'
import type { SessionContext } from '../session-context.ts'
import { openWithSecret, type SecretKey } from '../wire/message-secret.ts'
import { namesOf, ownNames, seenIn, senderNames } from './names.ts'
import type { People } from './people.ts'
import type { SealedContent } from './sealed-content.ts'

export type Opened = { ok: true; content: proto.IMessage } | { ok: false; reason: string }

/** Decrypts the content with the secret of the message that it refers to, if that is known. */
export async function openSealed(
  context: SessionContext,
  stored: StoredMessage,
  sealed: SealedContent,
  people: People,
): Promise<Opened> {
  const messageId = sealed.target.id ?? ''
  const keys = await keysAbout(context, stored, people, messageId)
  if (!keys) return { ok: false, reason: 'sealed_about_unknown' }
  for (const key of keys.flatMap(each => sealed.uses.map(use => ({ ...each, use })))) {
    const content = open(sealed, key)
    if (!content) continue
    const changed = content.protocolMessage?.key?.id ?? messageId
    return changed === messageId ? { ok: true, content } : { ok: false, reason: 'sealed_about_other' }
  }
  return { ok: false, reason: 'sealed_unreadable' }
}

function open({ iv, payload, read }: SealedContent, key: SecretKey): proto.IMessage | undefined {
  try {
    const opened = openWithSecret(key, iv, payload)
    return opened && read(opened)
  } catch {
    return undefined
  }
}

/**
 * The keys under which the sender may have encrypted content about a message: it is unknown which of a person's names is
 * part of the key. `undefined` if the gateway does not know the secret of the message.
 */
export async function keysAbout(
  context: SessionContext,
  stored: StoredMessage,
  people: People,
  messageId: string,
): Promise<Array<Omit<SecretKey, 'use'>> | undefined> {
  const about = await seenIn(context, people.chatJid, messageId)
  const secret = about && (await secretOf(context, about))
  if (!secret) return undefined
  const authors = await namesOf(context, about.fromMe ? ownNames(context) : [about.senderJid])
  const senders = await senderNames(context, stored)
  return [...authors].flatMap(author => [...senders].map(sender => ({ secret, messageId, author, sender })))
}

/** The secret of a sent message is in the copy that is stored for devices that request it again. */
export async function secretOf(context: SessionContext, about: SeenMessage): Promise<Uint8Array | undefined> {
  if (about.secret || !about.fromMe) return about.secret
  const copy = await context.storage.readSent(about.messageId)
  return copy && (proto.Message.decode(copy).messageContextInfo?.messageSecret ?? undefined)
}
