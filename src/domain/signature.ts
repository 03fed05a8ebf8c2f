import { createHmac, type Hmac } from 'node:crypto'
import { setImmediate as yieldToEvents } from 'node:timers/promises'

// Half a megabyte takes a fraction of a millisecond to hash; a body of 5 MB must not hold up everyone else.
const chunkBytes = 524_288

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
  if (body.length <= chunkBytes) hmac.update(body)
  else await updateInChunks(hmac, body)
  return hmac.digest('hex')
}

async function updateInChunks(hmac: Hmac, body: Uint8Array): Promise<void> {
  for (let start = 0; start < body.length; start += chunkBytes) {
    hmac.update(body.subarray(start, start + chunkBytes))
    await yieldToEvents()
  }
}
