import { decryptMediaRetryData, encryptMediaRetryRequest, proto, type WASocket } from 'baileys'
import { resolveWithin } from '../../../runtime/deadline.ts'
import { Deferred } from '../../../runtime/deferred.ts'
import { whenOpen } from '../link/when-open.ts'
import type { StoredMessage } from '../received/inbox-item.ts'
import type { SessionContext } from '../session-context.ts'
import type { IncomingMedia } from './media-part.ts'

/** Asks the number's phone to put up a file again that is gone; resolves with its new path, if there is one in time. */
export async function askForReupload(
  context: SessionContext,
  { key }: StoredMessage,
  { part }: IncomingMedia,
  signal: AbortSignal,
): Promise<string | undefined> {
  const connection = await whenOpen(context, signal)
  if (!connection || !part.mediaKey) return undefined
  const answer = ask(connection.sock, key, part.mediaKey)
  try {
    return await resolveWithin(context.clock, context.mediaRoute.reuploadMs, answer.path, signal)
  } catch {
    return undefined
  } finally {
    answer.forget()
  }
}

type Key = StoredMessage['key']

function ask(sock: WASocket, key: Key, mediaKey: Uint8Array): { path: Promise<string | undefined>; forget(): void } {
  const path = new Deferred<string | undefined>()
  const hear = (updates: readonly Update[]): void => {
    // The chat may be named in another way than in the message.
    const answer = updates.find(update => update.key.id === key.id)
    if (answer) path.resolve(answer.media && newPath(answer.media, mediaKey, key.id))
  }
  sock.ev.on('messages.media-update', hear)
  const { id = '' } = sock.authState.creds.me ?? {}
  // Who is not reached does not answer either.
  sock.sendNode(encryptMediaRetryRequest(key, mediaKey, id)).catch(() => path.resolve(undefined))
  return { path: path.promise, forget: () => sock.ev.off('messages.media-update', hear) }
}

interface Update {
  key: proto.IMessageKey
  media?: { ciphertext: Uint8Array; iv: Uint8Array }
}

const { SUCCESS } = proto.MediaRetryNotification.ResultType

function newPath(sealed: NonNullable<Update['media']>, mediaKey: Uint8Array, messageId: string): string | undefined {
  try {
    const { result, directPath } = decryptMediaRetryData(sealed, mediaKey, messageId)
    return result === SUCCESS ? (directPath ?? undefined) : undefined
  } catch {
    return undefined
  }
}
