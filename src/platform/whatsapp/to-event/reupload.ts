import { decryptMediaRetryData, encryptMediaRetryRequest, proto, type WASocket } from 'baileys'
import { resolveWithin } from '../../../runtime/deadline.ts'
import { Deferred } from '../../../runtime/deferred.ts'
import { whenOpen } from '../link/when-open.ts'
import type { StoredMessage } from '../received/inbox-item.ts'
import type { SessionContext } from '../session-context.ts'
import type { IncomingMedia } from './media-part.ts'

/**
 * Requests that the number's phone uploads a missing file again; resolves with its new path, if there is one in time.
 */
export async function reupload(
  context: SessionContext,
  { key }: Pick<StoredMessage, 'key'>,
  { part }: IncomingMedia,
  signal: AbortSignal,
): Promise<string | undefined> {
  const connection = await whenOpen(context, signal)
  if (!connection || !part.mediaKey) return undefined
  const answer = request(connection.sock, key, part.mediaKey)
  try {
    return await resolveWithin(context.clock, context.mediaRoute.reuploadMs, answer.path, signal)
  } catch {
    return undefined
  } finally {
    answer.forget()
  }
}

type Key = StoredMessage['key']

function request(
  sock: WASocket,
  key: Key,
  mediaKey: Uint8Array,
): { path: Promise<string | undefined>; forget(): void } {
  const path = new Deferred<string | undefined>()
  const onUpdates = (updates: readonly Update[]): void => {
    // The update may use another name of the chat than the message.
    const answer = updates.find(update => update.key.id === key.id)
    if (answer) path.resolve(answer.media && newPath(answer.media, mediaKey, key.id))
  }
  sock.ev.on('messages.media-update', onUpdates)
  const { id = '' } = sock.authState.creds.me ?? {}
  // Without the request there is no answer.
  sock.sendNode(encryptMediaRetryRequest(key, mediaKey, id)).catch(() => path.resolve(undefined))
  return { path: path.promise, forget: () => sock.ev.off('messages.media-update', onUpdates) }
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
