import { systemClock } from '../../dist/runtime/clock.js'
import { createWhatsApp } from '../../dist/platform/whatsapp/whatsapp.js'
import { eachOf } from './child.mjs'

/** The address of a simulated network, for another process. */
export function addressOf({ url, rootKey, mediaCa, mediaHost, clientVersion }) {
  return { url, rootKey, mediaCa, mediaHost, clientVersion }
}

/** Links a device to each of the numbers, up to `atOnce` at a time, without logging it in. */
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
      // The phone rejects a code that was just replaced; the next one works.
      step => step.kind === 'qr' && void simulator.linkByQr(step.qr, number).catch(() => {}),
      never,
    ),
  )
}
