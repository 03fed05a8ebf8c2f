import type { Context } from '../../context.ts'

export type TracedDeps = Pick<Context, 'tracing'>

interface TracedCommand {
  /** The `traceparent` of the request; `null` if spans are not collected. */
  trace: string | null
  commandId: string
  kind: string
  accountId: string
}

/** Commits inside a span, and stores the span's id in the same commit, so that the worker continues the trace. */
export async function tracedCommit<T>(
  { tracing }: TracedDeps,
  command: TracedCommand,
  commit: (traceparent: string | null) => Promise<T>,
): Promise<T> {
  const { trace, commandId, kind, accountId } = command
  if (tracing === null || trace === null) return await commit(null)
  const attributes = { 'postern.account': accountId, 'postern.command': commandId, 'postern.kind': kind }
  const span = tracing.begin({ name: 'message.accept', kind: 'producer', parent: trace, attributes })
  try {
    const committed = await commit(span.traceparent)
    span.end()
    return committed
  } catch (error) {
    span.end({}, 'commit_failed')
    throw error
  }
}
