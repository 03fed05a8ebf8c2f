import { systemClock } from '../../dist/runtime/clock.js'
import { createWhatsApp } from '../../dist/platform/whatsapp/whatsapp.js'
import { eachOf } from './child.mjs'

/** Where a simulated network is, for whoever is to find it from another process. */
export function addressOf({ url, rootKey, mediaCa, mediaHost, clientVersion }) {
  return { url, rootKey, mediaCa, mediaHost, clientVersion }
}

/** Links a device to each of the numbers, so many at once, and leaves it to others to log it in. */
export async function pairNumbers(simulator, numbers, atOnce) {
  const { url, rootKey, mediaCa, mediaHost } = simulator
  const platform = await createWhatsApp({
    clock: systemClock,
    network: { kind: 'sandbox', url, rootKey, mediaCa, mediaHost },
    ackTimeoutMs: 5_000,
  })
  const never = new AbortController().signal
  return await eachOf(numbers, atOnce, number =>
    platform.pair(
      { method: 'qr' },
      // A code that was just replaced is refused; the next one is scanned.
      step => step.kind === 'qr' && void simulator.linkByQr(step.qr, number).catch(() => {}),
      never,
    ),
  )
}
