import type { Clock } from '../../runtime/clock.ts'
import type { BridgeLedger, Job } from '../../store/bridge/bridge-ledger.ts'
import { type BridgeOutgoing, RANKS } from '../../store/bridge/bridge-outgoing.ts'
import type { GatewayClient } from '../gateway-client.ts'
import { refusalText } from '../refusal.ts'
import { NoFile } from './files.ts'
import { Again } from './lanes.ts'
import type { StatusNews } from './tell-status.ts'
import type { Part } from './to-whatsapp.ts'

/** How long a number may be offline before what is written says so: as long as the gateway waits for a link. */
const OFFLINE_MS = 10 * 60_000
/** And how long the host of a file may be: what an agent writes behind it waits as long. */
const NO_FILE_MS = 10 * 60_000
/** To the last byte of its answer. */
const GATEWAY_MS = 60_000
const ELSEWHERE =
  'this conversation was with another contact before, so it was sent to nobody. Look whom it is with, and write it again.'

/** A message of Chatwoot on its way to the gateway, with everything that its requests are made of. */
export interface Outgoing {
  id: number
  mark: string
  conversationId: number
  to: string | null
  /** The conversation was another contact's. */
  isElsewhere: boolean
  quoted: string | null
  parts: Array<Part & { token?: string }>
}

export interface SendParts {
  ledger: BridgeLedger
  outgoing: BridgeOutgoing
  reach: () => Promise<GatewayClient>
  clock: Clock
  session: string
  keyPrefix: string
  /** Where the gateway fetches a file. */
  fileUrl: (token: string) => string
  /** Rejects where it cannot be had. */
  tryFile: (url: string) => Promise<void>
  ending: AbortSignal
}

/** Every part under a key of its own: whatever is asked twice is sent once. */
export async function sendWritten(parts: SendParts, job: Job<Outgoing>): Promise<boolean> {
  const { content } = job
  const refused = await firstRefusal(parts, job)
  parts.ledger.commit(() => {
    if (refused !== undefined) recordFailure(parts, content, refused.part, refused.reason)
    parts.ledger.finish(job.id)
  })
  return refused === undefined
}

async function firstRefusal(
  parts: SendParts,
  job: Job<Outgoing>,
): Promise<{ part: number; reason: string } | undefined> {
  const { to, isElsewhere, parts: all } = job.content
  if (isElsewhere) return { part: 0, reason: ELSEWHERE }
  if (to === null) return { part: 0, reason: 'the contact has no phone number' }
  if (all.length === 0) return { part: 0, reason: 'the message is empty' }
  for (const [part, each] of all.entries()) {
    const reason = await sendPart(parts, job, { part, each, to })
    if (reason !== undefined) return { part, reason }
  }
  return undefined
}

/** Answers why it never will be sent; `undefined`: the gateway has it. */
async function sendPart(
  parts: SendParts,
  { id: jobId, begunMs, createdMs, content: { id, mark, conversationId, quoted } }: Job<Outgoing>,
  { part, each, to }: { part: number; each: Outgoing['parts'][number]; to: string },
): Promise<string | undefined> {
  const { file, text, token } = each
  const waitedMs = parts.clock.now().getTime() - createdMs
  const trouble = file && (await troubleWith(parts, file.url, waitedMs))
  if (trouble !== undefined) return trouble
  const body = {
    session_id: parts.session,
    to,
    ...(text === undefined ? {} : { text }),
    ...(file === undefined ? {} : { media_type: file.mediaType, media_url: parts.fileUrl(token!) }),
    ...(file?.filename && file.mediaType === 'document' ? { filename: file.filename } : {}),
    ...(quoted !== null && part === 0 ? { quoted_message_id: quoted } : {}),
  }
  const client = await parts.reach().catch(() => undefined)
  if (client === undefined) throw new Again('the gateway does not answer')
  const headers = { 'idempotency-key': `${parts.keyPrefix}-${id}-${mark}-${part}` }
  const signal = AbortSignal.any([AbortSignal.timeout(GATEWAY_MS), parts.ending])
  if (begunMs === null && part === 0) parts.ledger.begin(jobId, { conversationId, after: 0 })
  const answer = await client.open('POST', '/v1/messages', { body, headers, signal }).catch(() => undefined)
  if (answer === undefined) throw new Again('the gateway does not answer')
  const json = (await answer.json().catch(() => undefined)) as Record<string, unknown> | undefined
  const error = json && refusalText(json)
  const isBegun = begunMs !== null
  return judge({ status: answer.status, error, retryAfter: answer.headers.get('retry-after'), waitedMs, isBegun })
}

/** Before the gateway fetches it: what it finds out is for good. */
async function troubleWith(parts: SendParts, url: string, waitedMs: number): Promise<string | undefined> {
  try {
    await parts.tryFile(url)
    return undefined
  } catch (error) {
    if (error instanceof NoFile) return judgeFile(error, waitedMs)
    throw error
  }
}

/** Throws `Again` for what may be otherwise later, answers the reason for what is not waited for. */
export function judgeFile({ message, isPassing }: NoFile, waitedMs: number): string {
  if (!isPassing) return message
  if (waitedMs <= NO_FILE_MS) throw new Again(message)
  return `the file cannot be fetched (${message}), and the message is older than ten minutes. Attach it again.`
}

interface Judged {
  status: number
  error?: string | undefined
  retryAfter?: string | null
  waitedMs: number
  /** It was asked for before, and nobody knows what came of that. */
  isBegun: boolean
}

/** `undefined`: taken. Throws `Again` for what may be otherwise later, answers the reason for what never will. */
export function judge({ status, error = '', retryAfter, waitedMs, isBegun }: Judged): string | undefined {
  if (status === 202) return undefined
  // The key is this message's alone: it was taken before, from an address of the bridge that is another now.
  if (isBegun && status === 400 && error.startsWith('Idempotency-Key was already used')) return undefined
  if (status === 409 && waitedMs > OFFLINE_MS) return 'the number is offline'
  const seconds = Number(retryAfter ?? Number.NaN)
  if (status === 429) throw new Again('the gateway asks to wait', { afterMs: seconds > 0 ? seconds * 1_000 : null })
  if (status === 409) throw new Again('the number is offline')
  if (status === 401 || status === 403) throw new Again(`the gateway answered ${status}: ${error}`)
  if (status >= 500) throw new Again(`the gateway answered ${status}`)
  return error || `the gateway answered ${status}`
}

export function recordFailure(
  { ledger, outgoing }: Pick<SendParts, 'ledger' | 'outgoing'>,
  { id, mark, conversationId }: Pick<Outgoing, 'id' | 'mark' | 'conversationId'>,
  part: number,
  reason: string,
): void {
  if (outgoing.advance(id, part, RANKS.failed) === undefined) return
  const content: StatusNews = { id, conversationId, status: 'failed', reason }
  ledger.add({ kind: 'status', name: `status-${id}-${mark}-failed`, lane: `status ${id}`, content })
}
