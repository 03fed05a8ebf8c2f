import { createHash, randomInt } from 'node:crypto'
import { makeId } from './ids.ts'

export const SCOPES = ['send', 'read', 'manage'] as const
export type Scope = (typeof SCOPES)[number]

export interface ApiKey {
  id: string
  accountId: string
  label: string
  prefix: string
  scopes: Scope[]
  /** `null`: every session of the account. */
  sessionIds: string[] | null
  createdAt: number
  lastUsedAt: number | null
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const SHAPE = /^ptn_[A-Za-z0-9]{40}$/
const PREFIX_LENGTH = 12

/** A key in its stored form, without the secret. */
export interface NewKey extends Pick<ApiKey, 'id' | 'label' | 'prefix' | 'scopes' | 'sessionIds'> {
  hash: Uint8Array
}

/** Returns a new key, to be shown once, and its stored form. */
export function mintKey(grant: Pick<ApiKey, 'label' | 'scopes' | 'sessionIds'>): { key: string; stored: NewKey } {
  const key = makeKey()
  return { key, stored: { id: makeId('key'), ...grant, prefix: key.slice(0, PREFIX_LENGTH), hash: hashKey(key) } }
}

function makeKey(): string {
  let key = 'ptn_'
  for (let i = 0; i < 40; i++) key += ALPHABET[randomInt(ALPHABET.length)]
  return key
}

export const isApiKey = (value: string): boolean => SHAPE.test(value)

/** The stored hash: a key has 238 random bits, so a plain hash is safe from guessing. */
const hashKey = (key: string): Buffer => createHash('sha256').update(key).digest()
