/** Data of another program. Its keys are read with `field`: an object also inherits names such as `constructor`. */
export type Json = Record<string, unknown>

export const field = (json: Json, name: string): unknown => (Object.hasOwn(json, name) ? json[name] : undefined)

/** An id of Chatwoot; `null` if there is none. */
export function idIn(json: Json | undefined, name: string): number | null {
  const value = json && field(json, name)
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null
}
