import { type EraseDeps, runErasure } from '../actions/people/erase-person.ts'
import type { Context } from '../context.ts'
import { RepeatingTask } from '../runtime/repeating-task.ts'
import type { Store } from '../store/store.ts'

const EVERY_MS = 2_000

type Deps = EraseDeps & Pick<Context, 'clock' | 'log'> & { store: Pick<Store, 'signals'> }

/** Erases the people whom accounts asked to erase, one after the other. Every process looks for erasures that none runs. */
export async function erasePeople(deps: Deps, signal: AbortSignal): Promise<void> {
  const { store, log } = deps
  const erasing = new RepeatingTask(deps, 'person.erase', async () => {
    const erasure = await store.erasures.takeErasure()
    if (erasure === undefined) return store.signals.pollDelayMs(EVERY_MS)
    await runErasure(deps, erasure, signal)
    if (!signal.aborted) log.info({ job: erasure.id, account: erasure.accountId }, 'person.erased')
    return 0
  })
  const stopListening = store.signals.on('erasures', () => erasing.runSoon())
  await erasing.run(signal)
  stopListening()
}
