import type { proto } from 'baileys'
import { withoutDevice } from '../../../domain/jid.ts'
import { unlessLate } from '../../../within.ts'
import type { StoredMessage } from '../received/inbox-item.ts'
import type { SessionContext } from '../session-context.ts'
import { downloadMedia, type Outcome } from './download.ts'
import type { Fetched, IncomingMedia } from './media-part.ts'
import { whenOpen } from '../link/when-open.ts'

const TRIES = 3
const RETRY_AFTER_MS = 500
/** Who was asked so often in vain is not asked again for a while: each time its chat waits. */
const VAIN_REQUESTS = 3

/** Has the file of a message, or says why not. The message is told in any case, so the file has a time to be there. */
export async function fetchIncoming(
  context: SessionContext,
  stored: StoredMessage,
  media: IncomingMedia,
  signal: AbortSignal,
): Promise<Fetched> {
  const late = AbortSignal.timeout(context.mediaRoute.timeoutMs)
  try {
    return await fetch(context, stored, media, AbortSignal.any([signal, late]))
  } catch (error) {
    if (signal.aborted || !late.aborted) throw error
    return { status: 'error' }
  }
}

/** A file that is gone is asked for again from the sender, once. */
async function fetch(
  context: SessionContext,
  stored: StoredMessage,
  media: IncomingMedia,
  signal: AbortSignal,
): Promise<Fetched> {
  const first = await downloadPatiently(context, media, signal)
  if (first.status !== 'gone') return settled(first)
  const directPath = await requestAgain(context, stored, media, signal)
  if (directPath === undefined) return { status: 'error' }
  const again = { ...media, part: { ...media.part, directPath } }
  return settled(await downloadPatiently(context, again, signal))
}

async function downloadPatiently(context: SessionContext, media: IncomingMedia, signal: AbortSignal): Promise<Outcome> {
  let outcome: Outcome = { status: 'unreachable' }
  for (let tries = 0; tries < TRIES && outcome.status === 'unreachable'; tries += 1) {
    if (tries > 0) await context.clock.sleep(RETRY_AFTER_MS * tries, signal)
    signal.throwIfAborted()
    outcome = await downloadMedia(media, context.mediaRoute, signal)
    signal.throwIfAborted()
  }
  return outcome
}

const settled = (outcome: Outcome): Fetched =>
  outcome.status === 'gone' || outcome.status === 'unreachable' ? { status: 'error' } : outcome

async function requestAgain(
  context: SessionContext,
  stored: StoredMessage,
  media: IncomingMedia,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { missingFiles } = context
  const sender = withoutDevice(stored.key.participant ?? stored.key.remoteJid)
  const inVain = missingFiles.get(sender) ?? 0
  if (inVain >= VAIN_REQUESTS) return undefined
  const directPath = await askForReupload(context, stored, media, signal)
  if (directPath === undefined) missingFiles.set(sender, inVain + 1)
  else missingFiles.delete(sender)
  return directPath
}

async function askForReupload(
  context: SessionContext,
  { key }: StoredMessage,
  media: IncomingMedia,
  signal: AbortSignal,
): Promise<string | undefined> {
  const connection = await whenOpen(context, signal)
  if (!connection) return undefined
  const part = { ...media.part } as proto.Message.IImageMessage
  // Any kind of media is asked for in the same way; a plain image spares the wrappers of the original.
  const asked = connection.sock.updateMediaMessage({ key: { ...key }, message: { imageMessage: part } })
  try {
    const updated = await unlessLate(context.clock, context.mediaRoute.reuploadMs, asked, signal)
    return updated ? (part.directPath ?? undefined) : undefined
  } catch {
    return undefined
  }
}
