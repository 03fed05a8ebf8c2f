import { createHmac, timingSafeEqual } from 'node:crypto'
import type { WebhookEvent } from './events.ts'

export interface VerifyWebhookOptions {
  /** The request body exactly as it arrived: the raw bytes, or the text they decode to. Never a parsed object. */
  readonly payload: string | Uint8Array
  /** The value of X-Webhook-Signature. */
  readonly header: string | readonly string[] | null | undefined
  /** The webhook's secret, whole, with its `whsec_` prefix; several where one is being replaced. */
  readonly secret: string | readonly string[]
  /** How far the signature's time may be from now, either way. */
  readonly toleranceSeconds?: number
  readonly now?: Date
}

export type WebhookRefusal =
  | 'header_missing'
  | 'header_malformed'
  | 'signature_mismatch'
  | 'timestamp_out_of_tolerance'
  | 'payload_not_json'

/** The request is not from the gateway, or is too old. Answer 401 and do not process it. */
export class WebhookVerificationError extends Error {
  readonly code: WebhookRefusal

  constructor(code: WebhookRefusal, message: string) {
    super(message)
    this.name = 'WebhookVerificationError'
    this.code = code
  }
}

const maxHeaderLength = 4096
const maxSignatures = 16

/** Checks the signature of a webhook request and returns its event. Throws WebhookVerificationError otherwise. */
export function verifyWebhook<Event = WebhookEvent>(options: VerifyWebhookOptions): Event {
  const { payload, toleranceSeconds = 300, now = new Date() } = options
  if (typeof payload !== 'string' && !(payload instanceof Uint8Array)) {
    throw new TypeError('payload must be the raw request body: a string or bytes, not a parsed object')
  }
  const secrets = typeof options.secret === 'string' ? [options.secret] : options.secret
  if (secrets.length === 0 || secrets.some(secret => secret === '')) throw new TypeError('secret must not be empty')

  const { timestamp, signatures } = parseHeader(options.header)
  if (!secrets.some(secret => matchesAny(signatures, sign(secret, timestamp, payload)))) {
    throw new WebhookVerificationError(
      'signature_mismatch',
      'No signature in the header matches the payload and secret',
    )
  }
  const ageSeconds = Math.floor(now.getTime() / 1000) - timestamp
  if (!(Math.abs(ageSeconds) <= toleranceSeconds)) {
    throw new WebhookVerificationError('timestamp_out_of_tolerance', `The signature is ${ageSeconds} s old`)
  }
  return parsePayload(payload) as Event
}

function parseHeader(header: VerifyWebhookOptions['header']): { timestamp: number; signatures: Buffer[] } {
  if (header === null || header === undefined || header === '') {
    throw new WebhookVerificationError('header_missing', 'The X-Webhook-Signature header is missing')
  }
  if (typeof header !== 'string' || header.length > maxHeaderLength) throw malformed()
  const times: string[] = []
  const signatures: Buffer[] = []
  for (const part of header.split(',')) {
    const [name, ...rest] = part.split('=')
    const value = rest.join('=')
    if (name === 't') times.push(value)
    if (name === 'v1' && value === '') throw malformed()
    // Anything but 64 lowercase hex digits can match nothing; it must not reach the comparison with a length of its own.
    if (name === 'v1' && /^[0-9a-f]{64}$/.test(value)) signatures.push(Buffer.from(value, 'hex'))
  }
  const [time = ''] = times
  const valid = times.length === 1 && /^(?:0|[1-9]\d{0,11})$/.test(time)
  if (!valid || signatures.length === 0 || signatures.length > maxSignatures) throw malformed()
  return { timestamp: Number(time), signatures }
}

function malformed(): WebhookVerificationError {
  return new WebhookVerificationError('header_malformed', 'The X-Webhook-Signature header is not t=<seconds>,v1=<hex>')
}

function sign(secret: string, timestamp: number, payload: string | Uint8Array): Buffer {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(payload).digest()
}

// Compares with every signature, so that the time taken does not tell which one matched.
function matchesAny(signatures: readonly Buffer[], expected: Buffer): boolean {
  return signatures.filter(signature => timingSafeEqual(signature, expected)).length > 0
}

function parsePayload(payload: string | Uint8Array): unknown {
  const text = typeof payload === 'string' ? payload : new TextDecoder().decode(payload)
  try {
    return JSON.parse(text)
  } catch {
    throw new WebhookVerificationError('payload_not_json', 'The payload is signed but is not JSON')
  }
}
