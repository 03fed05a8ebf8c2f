import { withoutDevice } from '../../../domain/jid.ts'
import type { StoredMessage } from '../received/inbox-item.ts'
import type { SessionContext } from '../session-context.ts'
import { downloadMedia, type Missing, type Outcome } from './download.ts'
import type { Fetched, IncomingMedia } from './media-part.ts'
import { reupload } from './reupload.ts'

const TRIES = 3
const RETRY_AFTER_MS = 500
/** After this many failed requests no more are sent for a sender's files for ten minutes: its chat waits each time. */
const MAX_FAILED_REQUESTS = 3

/**
 * Returns the file of a message, or why there is none. The message is delivered in any case, so the fetch has a
 * deadline.
 */
export async function fetchIncoming(
  context: SessionContext,
  stored: StoredMessage,
  media: IncomingMedia,
  signal: AbortSignal,
): Promise<Fetched> {
  const deadline = AbortSignal.timeout(context.mediaRoute.timeoutMs)
  try {
    return await fetch(context, stored, media, AbortSignal.any([signal, deadline]))
  } catch (error) {
    if (signal.aborted || !deadline.aborted) throw error
    return { status: 'error' }
  }
}

/** If the file is gone, requests once that the number's phone uploads it again. */
async function fetch(
  context: SessionContext,
  stored: StoredMessage,
  media: IncomingMedia,
  signal: AbortSignal,
): Promise<Fetched> {
  const download = (wanted: IncomingMedia): Promise<Outcome> =>
    fromAnyHost<Fetched>(context, host => downloadMedia(wanted, context.mediaRoute, host, signal), signal)
  const first = await download(media)
  if (first.status !== 'gone') return fetchedOf(first)
  const directPath = await requestReupload(context, stored.key, media, signal)
  if (directPath === undefined) return { status: 'error' }
  const again = { ...media, part: { ...media.part, directPath } }
  return fetchedOf(await download(again))
}

/** Tries every server once before it tries one again. */
export async function fromAnyHost<T extends { status: string }>(
  context: SessionContext,
  download: (host: string) => Promise<T | Missing>,
  signal: AbortSignal,
): Promise<T | Missing> {
  let outcome: T | Missing = { status: 'unreachable' }
  for (let tries = 0; tries < TRIES && outcome.status === 'unreachable'; tries += 1) {
    if (tries > 0) await context.clock.sleep(RETRY_AFTER_MS * tries, signal)
    outcome = await fromEachHost(context, download, signal)
  }
  return outcome
}

async function fromEachHost<T extends { status: string }>(
  context: SessionContext,
  download: (host: string) => Promise<T | Missing>,
  signal: AbortSignal,
): Promise<T | Missing> {
  signal.throwIfAborted()
  let outcome = await download(context.mediaRoute.host)
  if (!isMissing(outcome)) return outcome
  for (const host of await context.mediaHosts.others(signal)) {
    signal.throwIfAborted()
    const other = await download(host)
    if (!isMissing(other)) return other
    if (other.status === 'unreachable') outcome = other
  }
  signal.throwIfAborted()
  return outcome
}

const isMissing = ({ status }: { status: string }): boolean => status === 'gone' || status === 'unreachable'

const fetchedOf = (outcome: Outcome): Fetched =>
  outcome.status === 'gone' || outcome.status === 'unreachable' ? { status: 'error' } : outcome

export async function requestReupload(
  context: SessionContext,
  key: StoredMessage['key'],
  media: IncomingMedia,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { missingFiles } = context
  const sender = withoutDevice(key.participant ?? key.remoteJid)
  const failed = missingFiles.get(sender) ?? 0
  if (failed >= MAX_FAILED_REQUESTS) return undefined
  const directPath = await reupload(context, { key }, media, signal)
  if (directPath === undefined) missingFiles.set(sender, failed + 1)
  else missingFiles.delete(sender)
  return directPath
}
