import { type OutgoingMessage, PosternError } from '#sdk'
import type { Clock } from './clock.ts'
import type { Gateway } from '#listener/event-reader'
import type { BridgeLedger, Job } from './ledger.ts'
import { type OutgoingMessages, RANKS } from './outgoing.ts'
import { FileUnavailable } from './files.ts'
import { RetryLater } from './keyed-queues.ts'
import type { StatusUpdate } from './update-status.ts'
import type { Part } from './to-whatsapp.ts'

/** How long a number may be offline before the message fails; as long as the gateway waits for a connection. */
const OFFLINE_MS = 10 * 60_000
/** How long the host of a file may be unreachable. Later messages of the conversation wait meanwhile. */
const NO_FILE_MS = 10 * 60_000
const ELSEWHERE =
  'this conversation belonged to another contact before, so the bridge did not send the message. Check the contact and write it again.'

/** A message of Chatwoot for the gateway, with everything that its requests need. */
export interface Outgoing {
  id: number
  mark: string
  conversationId: number
  to: string | null
  /** The conversation belonged to another contact before. */
  isElsewhere: boolean
  quoted: string | null
  parts: Array<Part & { token?: string }>
}

export interface SendDeps {
  ledger: BridgeLedger
  outgoing: OutgoingMessages
  connect: () => Promise<Gateway>
  clock: Clock
  session: string
  keyPrefix: string
  /** Where the gateway fetches a file. */
  fileUrl: (token: string) => string
  /** Rejects if the file cannot be fetched. */
  checkFile: (url: string) => Promise<void>
  ending: AbortSignal
}

/** Sends every part with its own idempotency key, so that a retry sends nothing twice. */
export async function sendMessage(deps: SendDeps, job: Job<Outgoing>): Promise<boolean> {
  const { content } = job
  const rejected = await firstRejection(deps, job)
  deps.ledger.commit(() => {
    if (rejected !== undefined) recordFailure(deps, content, rejected.part, rejected.reason)
    deps.ledger.finish(job.id)
  })
  return rejected === undefined
}

async function firstRejection(
  deps: SendDeps,
  job: Job<Outgoing>,
): Promise<{ part: number; reason: string } | undefined> {
  const { to, isElsewhere, parts: all } = job.content
  if (isElsewhere) return { part: 0, reason: ELSEWHERE }
  if (to === null) return { part: 0, reason: 'the contact has no phone number' }
  if (all.length === 0) return { part: 0, reason: 'the message is empty' }
  for (const [part, each] of all.entries()) {
    const reason = await sendPart(deps, job, { part, each, to })
    if (reason !== undefined) return { part, reason }
  }
  return undefined
}

/** Returns why the part can never be sent; `undefined` if the gateway accepted it. */
async function sendPart(
  deps: SendDeps,
  { id: jobId, begunMs, createdMs, content: { id, mark, conversationId, quoted } }: Job<Outgoing>,
  { part, each, to }: { part: number; each: Outgoing['parts'][number]; to: string },
): Promise<string | undefined> {
  const { file, text, token } = each
  const waitedMs = deps.clock.now().getTime() - createdMs
  const failure = file && (await fileFailure(deps, file.url, waitedMs))
  if (failure !== undefined) return failure
  const body = {
    session_id: deps.session,
    to,
    ...(text === undefined ? {} : { text }),
    ...(file === undefined ? {} : { media_type: file.mediaType, media_url: deps.fileUrl(token!) }),
    ...(file?.filename && file.mediaType === 'document' ? { filename: file.filename } : {}),
    ...(quoted !== null && part === 0 ? { quoted_message_id: quoted } : {}),
  }
  const gateway = await deps.connect().catch(() => undefined)
  if (gateway === undefined) throw new RetryLater('the gateway does not answer')
  const options = { idempotencyKey: `${deps.keyPrefix}-${id}-${mark}-${part}`, signal: deps.ending }
  if (begunMs === null && part === 0) deps.ledger.beginAttempt(jobId, { conversationId, after: 0 })
  try {
    await gateway.client.messages.send(body as OutgoingMessage, options)
    return undefined
  } catch (error) {
    if (!(error instanceof PosternError) || error.status === 0) throw new RetryLater('the gateway does not answer')
    const { status, message, retryAfterSeconds } = error
    const retryAfter = retryAfterSeconds === undefined ? null : String(retryAfterSeconds)
    return judge({ status, error: message, retryAfter, waitedMs, isBegun: begunMs !== null })
  }
}

/** Checks the file before the gateway fetches it, because a failure there is permanent. */
async function fileFailure(deps: SendDeps, url: string, waitedMs: number): Promise<string | undefined> {
  try {
    await deps.checkFile(url)
    return undefined
  } catch (error) {
    if (error instanceof FileUnavailable) return judgeFile(error, waitedMs)
    throw error
  }
}

/** Throws `RetryLater` for a temporary failure, and returns the reason of a permanent one. */
export function judgeFile({ message, isTemporary }: FileUnavailable, waitedMs: number): string {
  if (!isTemporary) return message
  if (waitedMs <= NO_FILE_MS) throw new RetryLater(message)
  return `the file cannot be fetched (${message}), and the message is older than ten minutes. Attach it again.`
}

interface Judged {
  status: number
  error?: string | undefined
  retryAfter?: string | null
  waitedMs: number
  /** An earlier attempt has an unknown result. */
  isBegun: boolean
}

/** `undefined`: accepted. Throws `RetryLater` for a temporary failure, and returns the reason of a permanent one. */
export function judge({ status, error = '', retryAfter, waitedMs, isBegun }: Judged): string | undefined {
  if (status === 202) return undefined
  // The key belongs to this message: the gateway accepted it before, with another address of the bridge.
  if (isBegun && status === 400 && error.startsWith('Idempotency-Key was already used')) return undefined
  if (status === 409 && waitedMs > OFFLINE_MS) return 'the number is offline'
  const seconds = Number(retryAfter ?? Number.NaN)
  if (status === 429)
    throw new RetryLater('the gateway asks to wait', { afterMs: seconds > 0 ? seconds * 1_000 : null })
  if (status === 409) throw new RetryLater('the number is offline')
  if (status === 401 || status === 403) throw new RetryLater(`the gateway answered ${status}: ${error}`)
  if (status >= 500) throw new RetryLater(`the gateway answered ${status}`)
  return error || `the gateway answered ${status}`
}

export function recordFailure(
  { ledger, outgoing }: Pick<SendDeps, 'ledger' | 'outgoing'>,
  { id, mark, conversationId }: Pick<Outgoing, 'id' | 'mark' | 'conversationId'>,
  part: number,
  reason: string,
): void {
  if (outgoing.advance(id, part, RANKS.failed) === undefined) return
  const content: StatusUpdate = { id, conversationId, status: 'failed', reason }
  ledger.add({ kind: 'status', name: `status-${id}-${mark}-failed`, queue: `status ${id}`, content })
}
