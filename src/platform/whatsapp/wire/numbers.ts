// The end of the year 9999. A time in milliseconds lies beyond it.
const LAST_SECOND = 253_402_300_799

/** A number above 0 that is whole and exact, as text or as the protocol writes it; others choose what is there. */
export function wholeNumber(value: unknown): number | undefined {
  if (typeof value === 'string' && !/^\d+$/.test(value)) return undefined
  const number = Number(value)
  return Number.isSafeInteger(number) && number > 0 ? number : undefined
}

/** Unix seconds; what is no time a calendar has gives nothing. */
export function unixSeconds(value: unknown): number | undefined {
  const seconds = wholeNumber(value)
  return seconds !== undefined && seconds <= LAST_SECOND ? seconds : undefined
}

/** The time that something says it has, else that of its arrival. */
export const secondsOr = (value: unknown, receivedAtMs: number): number =>
  unixSeconds(value) ?? Math.floor(receivedAtMs / 1000)
