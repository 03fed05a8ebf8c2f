import { createDecipheriv, hkdfSync } from 'node:crypto'
import { proto } from 'baileys'
import type { SeenMessage } from '../../platform.ts'
import type { StoredMessage } from '../received/inbox-item.ts'
import type { SessionContext } from '../session-context.ts'
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
  const about = await seenIn(context, people.chatJid, messageId)
  const secret = about && (await secretOf(context, about))
  if (!secret) return { ok: false, reason: 'sealed_about_unknown' }
  const authors = await namesOf(context, about.fromMe ? ownNames(context) : [about.senderJid])
  const modifiers = await senderNames(context, stored)
  for (const info of keyInfos(messageId, authors, modifiers, sealed.uses)) {
    const content = open(sealed, secret, info)
    if (!content) continue
    const changed = content.protocolMessage?.key?.id ?? messageId
    return changed === messageId ? { ok: true, content } : { ok: false, reason: 'sealed_about_other' }
  }
  return { ok: false, reason: 'sealed_unreadable' }
}

/** It is unknown which of a person's names is part of the key, so all are tried. */
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
const NO_SALT = new Uint8Array(0)

function open({ iv, payload, read }: SealedContent, secret: Uint8Array, info: string): proto.IMessage | undefined {
  try {
    const key = Buffer.from(hkdfSync('sha256', secret, NO_SALT, info, 32))
    const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES })
    decipher.setAuthTag(payload.subarray(-TAG_BYTES))
    return read(Buffer.concat([decipher.update(payload.subarray(0, -TAG_BYTES)), decipher.final()]))
  } catch {
    return undefined
  }
}

/** The secret of a sent message is in the copy that is stored for devices that request it again. */
export async function secretOf(context: SessionContext, about: SeenMessage): Promise<Uint8Array | undefined> {
  if (about.secret || !about.fromMe) return about.secret
  const copy = await context.storage.readSent(about.messageId)
  return copy && (proto.Message.decode(copy).messageContextInfo?.messageSecret ?? undefined)
}
