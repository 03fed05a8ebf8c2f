import type { Clock } from '../runtime/clock.ts'
import { StoreUnavailable } from '../store/transaction.ts'
import { retryUntilReachable } from '../store/retry-until-reachable.ts'

const REPORT_EVERY_MS = 5_000

/** The state of a wait for a database that does not answer yet. */
export interface DatabaseWaitProgress {
  /** Host and port, nothing else of the address. */
  at: string
  reason: string
  waitedMs: number
  limitMs: number
}

export interface DatabaseWait {
  clock: Clock
  /** Host and port. */
  at: string
  /** 0: no wait. */
  limitMs: number
  /** Called every few seconds while the database does not answer. */
  onProgress(progress: DatabaseWaitProgress): void
}

/** Opens a database that may start later than this process. Does not wait for one that answers with a rejection. */
export async function waitForDatabase<T>(wait: DatabaseWait, open: () => Promise<T>): Promise<T> {
  const { clock, limitMs, at } = wait
  const begunMs = clock.monotonicMs()
  let reportAtMs = begunMs
  return await retryUntilReachable(clock, () => withoutRefusals(open), {
    mayRetry: () => clock.monotonicMs() - begunMs < limitMs,
    onUnreachable: error => {
      const nowMs = clock.monotonicMs()
      if (nowMs < reportAtMs) return
      reportAtMs = nowMs + REPORT_EVERY_MS
      wait.onProgress({ at, reason: reasonOf(error), waitedMs: nowMs - begunMs, limitMs })
    },
  })
}

/** Runs a step of the start again while the database, which was reachable before, is not. */
export async function retryWhileStarting<T>(
  { clock, limitMs }: Pick<DatabaseWait, 'clock' | 'limitMs'>,
  work: () => Promise<T>,
): Promise<T> {
  const begunMs = clock.monotonicMs()
  return await retryUntilReachable(clock, work, { mayRetry: () => clock.monotonicMs() - begunMs < limitMs })
}

/** Connection refused, or the server starts, stops, is full or is still a standby: a system error code, or SQLSTATE. */
const PASSES = /^(E(?!RR_)[A-Z_]+|57P0\d|53\d{3}|25006|08(?!P01)\w{3})$/

/** A pooler whose server is unreachable uses a code that it also uses for a wrong name. */
const POOLER_WAITS = /server_login_retry|query_wait_timeout/

/** Retrying does not cure a wrong user, password, name or certificate: rethrows it as an error that is not retried. */
async function withoutRefusals<T>(open: () => Promise<T>): Promise<T> {
  try {
    return await open()
  } catch (error) {
    const cause = error instanceof StoreUnavailable ? error.cause : undefined
    throw cause === undefined || mayPass(cause) ? error : cause
  }
}

function mayPass(cause: unknown): boolean {
  const { code, message } = cause as { code?: string; message: string }
  if (code === undefined) return /timeout|terminated|closed/i.test(message)
  return PASSES.test(code) || POOLER_WAITS.test(message)
}

/** The reason without the address, which may contain a password. If several addresses fail, the error has only a code. */
export function reasonOf(error: unknown): string {
  const { message, code, cause } = error as Error & { code?: string }
  if (message === '') return code ?? (cause === undefined ? 'no answer' : reasonOf(cause))
  return message.replace(/postgres(ql)?:\/\/\S+/g, 'postgres://…')
}
