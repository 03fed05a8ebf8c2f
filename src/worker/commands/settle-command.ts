import type { WakeSignal } from '../../runtime/wake-signal.ts'
import { hasLostLinkForLong } from '../../domain/send-retry.ts'
import type { Store } from '../../store/store.ts'
import type { DueCommand } from '../../store/commands/command-queue.ts'
import type { HeldLease } from '../hold.ts'
import type { HostDeps } from '../deps.ts'
import type { Attempted } from './attempt-command.ts'
import type { ChatQueue } from './chat-queue.ts'
import type { ChatQueues } from './chat-queues.ts'
import { type CommandEnd, failed, recordEnd } from './command-end.ts'

const LINK_RECHECK_MS = 200
const LINK_LOST_AGAIN = { reason: 'RETRIES_EXHAUSTED', detail: 'the link was lost again and again' } as const

export interface SettleCommandDeps extends Pick<HostDeps, 'seal' | 'clock' | 'log' | 'tracing'> {
  store: Pick<Store, 'commands' | 'messages' | 'traces'>
  hold: HeldLease
  queues: ChatQueues
  /** Rung when a command may begin. */
  ready: WakeSignal
}

/** What an attempt means for the command's queue and for the store. */
export async function settle(
  deps: SettleCommandDeps,
  queue: ChatQueue,
  due: DueCommand,
  attempted: Attempted,
): Promise<void> {
  const { clock, queues, ready } = deps
  switch (attempted.next) {
    case 'ended':
      return await settleEnd(deps, queue, due, attempted.end)
    case 'gone':
      queues.next(queue)
      queues.forget(due)
      break
    case 'retry':
      queue.retry(clock.monotonicMs() + attempted.delayMs)
      break
    case 'wait_for_link': {
      const nowMs = clock.now().getTime()
      if (hasLostLinkForLong(queue.linkLost(nowMs), nowMs))
        return await settleEnd(deps, queue, due, failed(deps, due, LINK_LOST_AGAIN))
      queue.wait(clock.monotonicMs() + LINK_RECHECK_MS)
      break
    }
    default: {
      const never: never = attempted
      return never
    }
  }
  ready.ring()
}

/** The queue goes on as soon as the platform has acknowledged; that is written meanwhile. */
export async function settleEnd(
  deps: SettleCommandDeps,
  queue: ChatQueue,
  due: DueCommand,
  end: CommandEnd,
): Promise<void> {
  const { hold, queues, ready } = deps
  const record = () => recordEnd(deps, end, hold)
  // A follow-up of a message that failed has to find it so.
  if (end.outcome !== 'sent') await record()
  queues.next(queue)
  ready.ring()
  if (end.outcome === 'sent') await record()
  queues.forget(due)
}
