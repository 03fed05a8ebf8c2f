import { getOwn } from '../../runtime/get-own.ts'

/** An id of Chatwoot in what it says; `null`: there is none. */
export function idIn(json: Record<string, unknown> | undefined, name: string): number | null {
  const value = json && getOwn(json, name)
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null
}
