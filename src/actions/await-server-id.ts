import type { Context } from '../context.ts'
import { jidKind } from '../domain/jid.ts'
import type { Store } from '../store/store.ts'
import type { SendAnswer } from './send-message.ts'

const WAIT_MS = 10_000
const POLL_MS = 50

/** For a channel that the number manages the response carries `server_id`, when the platform returns it in time. */
export async function awaitServerId(
  { store, clock }: Pick<Context, 'clock'> & { store: Pick<Store, 'messages'> },
  answer: SendAnswer,
  gone: () => AbortSignal,
): Promise<SendAnswer> {
  if (jidKind(answer.to) !== 'channel' || answer.repeated) return answer
  const signal = gone()
  const deadlineMs = clock.monotonicMs() + WAIT_MS
  while (clock.monotonicMs() < deadlineMs && !signal.aborted) {
    const message = await store.messages.getMessage(answer.messageId)
    if (message === undefined) return answer
    if (message.serverId !== null) return { ...answer, serverId: message.serverId }
    if (message.state !== 'queued') return answer
    await clock.sleep(POLL_MS, signal)
  }
  return answer
}
