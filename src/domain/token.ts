import { createHash, randomBytes } from 'node:crypto'

/** A random secret that grants access; only its hash is stored. */
export const makeToken = (): string => randomBytes(32).toString('base64url')

export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest()
