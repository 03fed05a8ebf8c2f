import { createHmac } from 'node:crypto'
import { inChunks } from '../runtime/in-chunks.ts'

/**
 * The value of X-Webhook-Signature: `t=<seconds>,v1=<hex>`, with one `v1` for each secret while a rotation overlaps.
 * Each signs `<t>.` and the body byte for byte, keyed with the whole secret, its `whsec_` prefix included.
 */
export async function signatureHeader(
  secrets: readonly string[],
  timestampSeconds: number,
  body: Uint8Array,
): Promise<string> {
  const parts = [`t=${timestampSeconds}`]
  for (const secret of secrets) parts.push(`v1=${await sign(secret, timestampSeconds, body)}`)
  return parts.join(',')
}

async function sign(secret: string, timestampSeconds: number, body: Uint8Array): Promise<string> {
  const hmac = createHmac('sha256', secret).update(`${timestampSeconds}.`)
  await inChunks(body.length, (start, end) => hmac.update(body.subarray(start, end)))
  return hmac.digest('hex')
}

/**
 * The value of webhook-signature: `v1,<base64>` for each secret, with a space in between. Each signs `<id>.<t>.` and the
 * body, keyed with the decoded part of the secret after `whsec_`.
 */
export async function standardSignature(
  secrets: readonly string[],
  id: string,
  timestampSeconds: number,
  body: Uint8Array,
): Promise<string> {
  const parts: string[] = []
  for (const secret of secrets) {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
    const hmac = createHmac('sha256', key).update(`${id}.${timestampSeconds}.`)
    await inChunks(body.length, (start, end) => hmac.update(body.subarray(start, end)))
    parts.push(`v1,${hmac.digest('base64')}`)
  }
  return parts.join(' ')
}
