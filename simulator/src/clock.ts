export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }

interface Timed {
  readonly clock: Clock
}

export function nowMs({ clock }: Timed): number {
  return clock.now().getTime()
}

export function unixSeconds(timed: Timed): number {
  return Math.floor(nowMs(timed) / 1000)
}

/** The time in the form that stanzas use. */
export function nowText(timed: Timed): string {
  return String(unixSeconds(timed))
}
