import { createHmac } from 'node:crypto'
import { CHUNK_BYTES, inChunks } from '../runtime/in-chunks.ts'
import { Hmac } from './hmac.ts'

/** Signs with one secret, its `whsec_` prefix included. */
export class Signer {
  readonly #secret: string
  readonly #hmac: Hmac

  constructor(secret: string) {
    this.#secret = secret
    this.#hmac = new Hmac(Buffer.from(secret))
  }

  /** In hex; a promise only for a large body, which is hashed in chunks. */
  sign(timestampSeconds: number, body: Uint8Array): string | Promise<string> {
    if (body.length <= CHUNK_BYTES) return this.#hmac.hexOf(`${timestampSeconds}.`, body)
    return this.#signInChunks(timestampSeconds, body)
  }

  async #signInChunks(timestampSeconds: number, body: Uint8Array): Promise<string> {
    const hmac = createHmac('sha256', this.#secret).update(`${timestampSeconds}.`)
    await inChunks(body.length, (start, end) => hmac.update(body.subarray(start, end)))
    return hmac.digest('hex')
  }
}

/**
 * The value of X-Webhook-Signature: `t=<seconds>,v1=<hex>`, with one `v1` for each secret while a rotation overlaps.
 * Each signs `<t>.` and the body byte for byte. A promise only for a large body.
 */
export function signatureHeader(
  signers: readonly Signer[],
  timestampSeconds: number,
  body: Uint8Array,
): string | Promise<string> {
  const codes = signers.map(signer => signer.sign(timestampSeconds, body))
  const header = (all: readonly string[]): string => `t=${timestampSeconds},${all.map(code => `v1=${code}`).join(',')}`
  return isSigned(codes) ? header(codes) : Promise.all(codes).then(header)
}

const isSigned = (codes: Array<string | Promise<string>>): codes is string[] =>
  codes.every(code => typeof code === 'string')
