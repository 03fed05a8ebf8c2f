import { createHmac } from 'node:crypto'
import { CHUNK_BYTES, inChunks } from '../runtime/in-chunks.ts'
import { Hmac } from './hmac.ts'

/** Signs with one secret. */
export class Signer {
  readonly #secret: string
  readonly #hmac: Hmac

  constructor(secret: string) {
    this.#secret = secret
    this.#hmac = new Hmac(Buffer.from(secret))
  }

  /** In hex, with the whole secret, its `whsec_` prefix included. */
  sign(timestampSeconds: number, body: Uint8Array): string {
    return this.#hmac.hexOf(`${timestampSeconds}.`, body)
  }

  /** The same for a large body, with the event loop free in between. */
  async signInChunks(timestampSeconds: number, body: Uint8Array): Promise<string> {
    return (await hmacInChunks(this.#secret, `${timestampSeconds}.`, body)).toString('hex')
  }

  /** For Standard Webhooks: in base64, with the decoded part of the secret after `whsec_`. */
  async signStandard(id: string, timestampSeconds: number, body: Uint8Array): Promise<string> {
    const key = Buffer.from(this.#secret.replace(/^whsec_/, ''), 'base64')
    return (await hmacInChunks(key, `${id}.${timestampSeconds}.`, body)).toString('base64')
  }
}

async function hmacInChunks(key: string | Buffer, head: string, body: Uint8Array): Promise<Buffer> {
  const hmac = createHmac('sha256', key).update(head)
  await inChunks(body.length, (start, end) => hmac.update(body.subarray(start, end)))
  return hmac.digest()
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

/**
 * The value of webhook-signature: `v1,<base64>` for each secret, with a space in between. Each signs `<id>.<t>.` and the
 * body.
 */
export async function standardSignature(
  signers: readonly Signer[],
  id: string,
  timestampSeconds: number,
  body: Uint8Array,
): Promise<string> {
  const codes = await Promise.all(signers.map(signer => signer.signStandard(id, timestampSeconds, body)))
  return codes.map(code => `v1,${code}`).join(' ')
}
