import type { LinkWatch } from './link-watch.ts'

export interface Settling {
  readonly links: Pick<LinkWatch, 'look' | 'unconfirmed'>
  /** The number of innocent messages without an event. */
  missing(): number
  /** The number of events. */
  delivered(): number
  readonly stuckMs: number
  pause(ms: number): Promise<unknown>
}

/** A duplicate event arrives a little later. */
const DOUBLED_AFTER_MS = 1_500

/**
 * Waits until everything is confirmed and published, or there was no progress for too long. The gateway asks the
 * numbers' own phones for unreadable messages, and they answer seconds later: those answers arrive while the run waits
 * for duplicates.
 */
export async function settle(settling: Settling): Promise<void> {
  await untilAnswered(settling)
  await settling.pause(DOUBLED_AFTER_MS)
  await untilAnswered(settling)
}

async function untilAnswered({ links, missing, delivered, stuckMs, pause }: Settling): Promise<void> {
  let [known, since] = ['', performance.now()]
  const state = () => `${links.unconfirmed()} ${delivered()}`
  while (performance.now() - since < stuckMs) {
    if (links.unconfirmed() === 0 && missing() === 0) return
    if (state() !== known) [known, since] = [state(), performance.now()]
    links.look()
    await pause(50)
  }
}
