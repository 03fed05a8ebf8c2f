// node verify.mjs "$SIGNATURE_HEADER" < body.json
import { createHmac, timingSafeEqual } from 'node:crypto'
import { buffer } from 'node:stream/consumers'

const TOLERANCE_SECONDS = 300

/** `rawBody` is a Buffer of the bytes as they came, before any JSON parser has touched them. */
export function verify(header, rawBody, secret) {
  const parts = header.split(',').map(part => part.trim().split('='))
  const t = parts.find(([name]) => name === 't')?.[1] ?? ''
  if (!/^\d+$/.test(t) || Math.abs(Date.now() / 1000 - Number(t)) > TOLERANCE_SECONDS) return false
  const wanted = createHmac('sha256', secret).update(`${t}.`).update(rawBody).digest()
  return parts.some(([name, hex = '']) => {
    const given = Buffer.from(hex, 'hex')
    return name === 'v1' && given.length === wanted.length && timingSafeEqual(given, wanted)
  })
}

const body = await buffer(process.stdin)
const valid = verify(process.argv[2] ?? '', body, process.env.WEBHOOK_SECRET ?? '')
console.log(valid ? 'valid' : 'invalid: answer 401 and do not process it')
process.exitCode = valid ? 0 : 1
