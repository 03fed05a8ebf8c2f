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

/** A key as it is stored: without the key. */
export interface NewKey extends Pick<ApiKey, 'id' | 'label' | 'prefix' | 'scopes' | 'sessionIds'> {
  hash: Uint8Array
}

/** A new key, to be shown once, and what is stored of it. */
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

/** What is stored: a key has 238 random bits, so a plain hash cannot be guessed back. */
const hashKey = (key: string): Buffer => createHash('sha256').update(key).digest()
