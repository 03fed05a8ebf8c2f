import { type EraseDeps, runErasure } from '../actions/people/erase-person.ts'
import type { Context } from '../context.ts'
import { RepeatingTask } from '../runtime/repeating-task.ts'

const EVERY_MS = 2_000

type Deps = EraseDeps & Pick<Context, 'clock' | 'log'>

/** Erases the people whom accounts asked to erase, one after the other. Every process looks for erasures that none runs. */
export function erasePeople(deps: Deps, signal: AbortSignal): RepeatingTask {
  return new RepeatingTask(deps, 'person.erase', async () => {
    const erasure = await deps.store.erasures.takeErasure()
    if (erasure === undefined) return EVERY_MS
    await runErasure(deps, erasure, signal)
    if (!signal.aborted) deps.log.info({ job: erasure.id, account: erasure.accountId }, 'person.erased')
    return 0
  })
}
