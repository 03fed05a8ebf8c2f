// The end of the year 9999. A time in milliseconds is beyond it.
const LAST_SECOND = 253_402_300_799

/** A positive safe integer, from text or from a protocol number; the sender may have chosen any value. */
export function wholeNumber(value: unknown): number | undefined {
  if (typeof value === 'string' && !/^\d+$/.test(value)) return undefined
  const number = Number(value)
  return Number.isSafeInteger(number) && number > 0 ? number : undefined
}

/** Unix seconds up to the year 9999. */
export function unixSeconds(value: unknown): number | undefined {
  const seconds = wholeNumber(value)
  return seconds !== undefined && seconds <= LAST_SECOND ? seconds : undefined
}

/** The given time if it is valid, otherwise the time of arrival. */
export const secondsOr = (value: unknown, receivedAtMs: number): number =>
  unixSeconds(value) ?? Math.floor(receivedAtMs / 1000)
