import { makeId } from '../../src/domain/ids.ts'
import type { ProgressStep } from '../../src/store/messages/progress-steps.ts'

/** A step in the progress of a message, with an empty event. */
export function progressStep(
  step: Pick<ProgressStep, 'messageId' | 'accountId' | 'state' | 'recipient'> & { sessionId: string },
): ProgressStep {
  const { sessionId, ...taken } = step
  return {
    ...taken,
    atMs: 1,
    event: {
      id: makeId('evt'),
      accountId: step.accountId,
      sessionId,
      kind: 'status',
      category: 'status',
      historyType: null,
      dedupeId: 'd',
      sealedPayload: new Uint8Array(1),
      redacted: '{}',
      bytes: 1,
    },
    serverId: null,
    reason: null,
    detail: null,
  }
}
