import { randomBytes } from 'node:crypto'
import { type AuthenticationCreds, type BinaryNode, getBinaryNodeChild } from 'baileys'
import type { Handled } from './unpaired-stanzas.ts'

export const REFRESH_TYPE = 'companion_reg_refresh'
const REQUESTS = ['companion_reg_refresh', 'pair-device-rotate-qr']

/**
 * The platform retires the secret that codes contain: with an old one a phone cannot link, and shows no reason. `onNew`
 * is called for a new one.
 */
export const refreshSecret =
  (creds: Pick<AuthenticationCreds, 'advSecretKey'>, onNew: () => void) =>
  (stanza: BinaryNode): Handled => {
    if (!REQUESTS.some(tag => getBinaryNodeChild(stanza, tag))) return 'ours'
    creds.advSecretKey = randomBytes(32).toString('base64')
    onNew()
    return 'ours'
  }
