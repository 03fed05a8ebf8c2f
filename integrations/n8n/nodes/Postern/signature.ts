import { createHmac, timingSafeEqual } from 'node:crypto'

/** How far the time of a signature may be from now, either way. */
const TOLERANCE_SECONDS = 300
const MAX_HEADER_LENGTH = 4096
const MAX_SIGNATURES = 16

interface Signed {
  /** The raw body. */
  body: Buffer
  /** X-Webhook-Signature: `t=<unix seconds>,v1=<hex>`, with two `v1` while a secret is replaced. */
  header: unknown
  secret: string
  nowSeconds: number
}

/** Why a request is rejected; undefined if the gateway signed these bytes within the last five minutes. */
export function whyNotSigned({ body, header, secret, nowSeconds }: Signed): string | undefined {
  if (header === undefined || header === '') return 'the header X-Webhook-Signature is missing'
  const parts = partsOf(header)
  if (parts === undefined) return 'the header X-Webhook-Signature is not t=<seconds>,v1=<hex>'
  const expected = createHmac('sha256', secret).update(`${parts.time}.`).update(body).digest()
  const matching = parts.signatures.filter(signature => timingSafeEqual(signature, expected))
  if (secret === '' || matching.length === 0)
    return 'the signature does not match the body and the secret of this webhook'
  if (Math.abs(nowSeconds - Number(parts.time)) > TOLERANCE_SECONDS)
    return 'the signature is more than five minutes old: a request that was kept and sent again, or a wrong clock'
  return undefined
}

function partsOf(header: unknown): { time: string; signatures: Buffer[] } | undefined {
  if (typeof header !== 'string' || header.length > MAX_HEADER_LENGTH) return undefined
  const pairs = header.split(',').map(part => part.split('='))
  const of = (wanted: string): string[] =>
    pairs.filter(([name]) => name === wanted).map(([, ...rest]) => rest.join('='))
  const times = of('t')
  const signatures = of('v1')
  const [time = ''] = times
  const whole = signatures.filter(signature => /^[0-9a-f]{64}$/.test(signature))
  const isValid = times.length === 1 && /^(?:0|[1-9]\d{0,11})$/.test(time) && !signatures.includes('')
  if (!isValid || whole.length === 0 || whole.length > MAX_SIGNATURES) return undefined
  return { time, signatures: whole.map(hex => Buffer.from(hex, 'hex')) }
}
