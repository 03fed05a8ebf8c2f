import type { Context } from '../context.ts'
import type { Store } from '../store/store.ts'
import { keepTraces } from '../tracing/kept-traces.ts'

export type TracedParts = Pick<Context, 'tracing' | 'log'> & { store: Pick<Store, 'tracing'> }

interface Asked {
  /** The `traceparent` of the request; `null` where spans are not collected. */
  trace: string | null
  commandId: string
  kind: string
  accountId: string
  sendAt: number | null
}

/** Commits what was asked for inside a span, which whoever runs the command finds. */
export async function tracedCommit<T>(parts: TracedParts, asked: Asked, commit: () => Promise<T>): Promise<T> {
  const { tracing } = parts
  const { trace, commandId, kind, accountId, sendAt } = asked
  if (tracing === null || trace === null) return await commit()
  const attributes = { 'postern.account': accountId, 'postern.command': commandId, 'postern.kind': kind }
  const span = tracing.begin({ name: 'message.accept', kind: 'producer', parent: trace, attributes })
  // Before the command: it may be run at once.
  await keepTraces(parts, [{ id: commandId, traceparent: span.traceparent, fromMs: sendAt }])
  try {
    const committed = await commit()
    span.end()
    return committed
  } catch (error) {
    span.end({}, 'commit_failed')
    throw error
  }
}
