import { api, take } from './client.ts'
import type { Pairing } from './records.ts'
import type { paths } from './schema.d.ts'
import { t } from '../t.ts'

const at = (id: string) => ({ params: { path: { id } } })

type Credential = paths['/v1/pairings/{id}/passkey']['post']['requestBody']['content']['application/json']

export const bringPasskey = (id: string, body: Credential): Promise<Pairing> =>
  take(api.POST('/v1/pairings/{id}/passkey', { ...at(id), body }))

/** Parses a pasted answer; throws if it is not an answer of a browser. */
export function parseCredential(text: string): Credential {
  try {
    const value: unknown = JSON.parse(text.trim())
    if (typeof value === 'object' && value !== null && 'response' in value) return value as Credential
  } catch {
    // The error is thrown below.
  }
  throw new Error(
    t('This is not the output of the script: copy the whole line, from {start} to {end}.', { start: '{', end: '}' }),
  )
}

export const confirmCode = (id: string) => take(api.POST('/v1/pairings/{id}/confirm', at(id)))
export const signInSandbox = (id: string) => take(api.POST('/sandbox/pairings/{id}/passkey', at(id)))
