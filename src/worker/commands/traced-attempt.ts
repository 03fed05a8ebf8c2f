import type { DueCommand } from '../../store/commands/command-queue.ts'
import { tracesOf } from '../../observability/tracing/kept-traces.ts'
import type { TracedDeps } from '../traced-publish.ts'
import { type Attempted, outcomeOf } from './attempt-command.ts'

export type Traced = Attempted & { traceId?: string }

const SUCCEEDED = new Set(['sent', 'done'])

/** Runs one attempt inside a span, in the trace of the request that asked for it; the wait before the first has its own. */
export async function tracedAttempt(
  deps: TracedDeps,
  due: DueCommand,
  attempt: number,
  run: () => Promise<Attempted>,
): Promise<Traced> {
  const { tracing } = deps
  if (tracing === null) return await run()
  const parent = (await tracesOf(deps, [due.id])).get(due.id)
  const attributes = {
    'postern.account': due.accountId ?? undefined,
    'postern.command': due.id,
    'postern.message': due.messageId,
    'postern.kind': due.kind,
  }
  if (attempt === 1) tracing.begin({ name: 'message.queue', parent, atMs: due.dueAt, attributes }).end()
  const attempted = { ...attributes, 'postern.attempt': attempt }
  const span = tracing.begin({ name: 'message.send', kind: 'client', parent, attributes: attempted })
  try {
    const result = await run()
    const outcome = outcomeOf(result)
    span.end({ 'postern.outcome': outcome }, SUCCEEDED.has(outcome) ? undefined : outcome)
    return { ...result, traceId: span.traceId }
  } catch (error) {
    span.end({}, 'cut_off')
    throw error
  }
}
