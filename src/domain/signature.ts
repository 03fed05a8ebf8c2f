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

  /** In hex. */
  sign(timestampSeconds: number, body: Uint8Array): string {
    return this.#hmac.hexOf(`${timestampSeconds}.`, body)
  }

  /** The same for a large body, with the event loop free in between. */
  async signInChunks(timestampSeconds: number, body: Uint8Array): Promise<string> {
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
  const header = (codes: string[]): string => `t=${timestampSeconds},${codes.map(code => `v1=${code}`).join(',')}`
  if (body.length <= CHUNK_BYTES) return header(signers.map(signer => signer.sign(timestampSeconds, body)))
  return Promise.all(signers.map(signer => signer.signInChunks(timestampSeconds, body))).then(header)
}
