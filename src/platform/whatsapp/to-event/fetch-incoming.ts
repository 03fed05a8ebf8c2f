import { withoutDevice } from '../../../domain/jid.ts'
import type { StoredMessage } from '../received/inbox-item.ts'
import type { SessionContext } from '../session-context.ts'
import { downloadMedia, type Outcome } from './download.ts'
import type { Fetched, IncomingMedia } from './media-part.ts'
import { askForReupload } from './reupload.ts'

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

/** The number's phone is asked once to put up again a file that is gone. */
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

/** Every server is asked before one is asked again; none that has the file is passed over. */
async function downloadPatiently(context: SessionContext, media: IncomingMedia, signal: AbortSignal): Promise<Outcome> {
  let outcome: Outcome = { status: 'unreachable' }
  for (let tries = 0; tries < TRIES && outcome.status === 'unreachable'; tries += 1) {
    if (tries > 0) await context.clock.sleep(RETRY_AFTER_MS * tries, signal)
    outcome = await downloadFromAny(context, media, signal)
  }
  return outcome
}

async function downloadFromAny(context: SessionContext, media: IncomingMedia, signal: AbortSignal): Promise<Outcome> {
  const { mediaRoute } = context
  signal.throwIfAborted()
  let outcome = await downloadMedia(media, mediaRoute, mediaRoute.host, signal)
  if (!isMissing(outcome)) return outcome
  for (const host of await context.mediaHosts.others(signal)) {
    signal.throwIfAborted()
    const other = await downloadMedia(media, mediaRoute, host, signal)
    if (!isMissing(other)) return other
    if (other.status === 'unreachable') outcome = other
  }
  signal.throwIfAborted()
  return outcome
}

const isMissing = ({ status }: Outcome): boolean => status === 'gone' || status === 'unreachable'

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
