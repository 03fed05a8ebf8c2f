import { createHash, randomInt } from 'node:crypto'

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

export function makeApiKey(): string {
  let key = 'ptn_'
  for (let i = 0; i < 40; i++) key += ALPHABET[randomInt(ALPHABET.length)]
  return key
}

export const isApiKey = (value: string): boolean => SHAPE.test(value)
export const keyPrefix = (key: string): string => key.slice(0, PREFIX_LENGTH)

/** What is stored: a key has 238 random bits, so a plain hash cannot be guessed back. */
export const hashKey = (key: string): Buffer => createHash('sha256').update(key).digest()
