import type { Context } from '../context.ts'
import { makeWakeUp } from '../store/wake-up.ts'
import type { StoredPairing } from '../store/units/pairings.ts'
import type { Simulator } from './simulator.ts'

const LOOK_MS = 500

type Parts = Pick<Context, 'store' | 'seal' | 'log'>

/** The sandbox's phones accept every sandbox number that is being paired, until told to stop. */
export async function scanPairings(parts: Parts, simulator: Simulator, signal: AbortSignal): Promise<void> {
  const wakeUp = makeWakeUp(parts.store.signals, ['pairings'])
  const seen = new Set<string>()
  while (!signal.aborted) {
    try {
      for (const pairing of await parts.store.listWaitingPairings('sandbox')) {
        const step = `${pairing.id} ${pairing.updatedAt}`
        if (seen.has(step)) continue
        seen.add(step)
        void accept(parts, simulator, pairing)
      }
    } catch (error) {
      parts.log.warn({ err: error }, 'sandbox pairings could not be read')
    }
    await wakeUp.sleep(LOOK_MS, signal)
  }
  wakeUp.stop()
}

async function accept({ seal, log }: Parts, simulator: Simulator, pairing: StoredPairing): Promise<void> {
  if (pairing.step === null || pairing.phone === null) return
  try {
    const step = seal.openJson<{ qr?: string; code?: string }>(pairing.step, `pairing:${pairing.id}`)
    if (step.qr !== undefined) await simulator.linkByQr(step.qr, pairing.phone)
    else if (step.code !== undefined) await simulator.linkByCode(pairing.phone, step.code)
  } catch (error) {
    // A code that was renewed meanwhile: the next one is scanned in its turn.
    log.warn({ pairing: pairing.id, err: error }, 'sandbox phone did not link')
  }
}
