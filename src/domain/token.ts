import { createHash, randomBytes } from 'node:crypto'

/** A secret that whoever has it is let in with; only its hash is stored. */
export const makeToken = (): string => randomBytes(32).toString('base64url')

export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest()
