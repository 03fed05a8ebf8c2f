import type { LinkWatch } from './link-watch.ts'

export interface Settling {
  readonly links: Pick<LinkWatch, 'look' | 'unconfirmed'>
  /** How many of those who only write have not been told of. */
  missing(): number
  /** How many events were told. */
  told(): number
  readonly stuckMs: number
  pause(ms: number): Promise<unknown>
}

/** What is told twice comes a little later. */
const DOUBLED_AFTER_MS = 1_500

/**
 * Waits until all is answered for and told, or nothing has moved for too long. The numbers' own phones are asked for
 * what could not be read, and answer seconds later: what they have said while doubles were waited for is on its way.
 */
export async function settle(settling: Settling): Promise<void> {
  await untilAnswered(settling)
  await settling.pause(DOUBLED_AFTER_MS)
  await untilAnswered(settling)
}

async function untilAnswered({ links, missing, told, stuckMs, pause }: Settling): Promise<void> {
  let [known, since] = ['', performance.now()]
  const state = () => `${links.unconfirmed()} ${told()}`
  while (performance.now() - since < stuckMs) {
    if (links.unconfirmed() === 0 && missing() === 0) return
    if (state() !== known) [known, since] = [state(), performance.now()]
    links.look()
    await pause(50)
  }
}
