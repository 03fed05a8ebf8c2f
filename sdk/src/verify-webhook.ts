import type { WebhookEvent } from './events.ts'

export interface VerifyWebhookOptions {
  /** The request body exactly as it arrived: the raw bytes, or the text they decode to. Never a parsed object. */
  readonly payload: string | Uint8Array
  /** The value of X-Webhook-Signature. */
  readonly header: string | readonly string[] | null | undefined
  /** The webhook's secret, whole, with its `whsec_` prefix; several while you rotate it. */
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

const encoder = new TextEncoder()
const maxHeaderLength = 4096
const maxSignatures = 16

/**
 * Checks the signature of a webhook request and resolves with its event; rejects with WebhookVerificationError
 * otherwise. It uses WebCrypto, which every runtime has.
 */
export async function verifyWebhook<Event = WebhookEvent>(options: VerifyWebhookOptions): Promise<Event> {
  const { payload, toleranceSeconds = 300, now = new Date() } = options
  if (typeof payload !== 'string' && !(payload instanceof Uint8Array)) {
    throw new TypeError('payload must be the raw request body: a string or bytes, not a parsed object')
  }
  const secrets = typeof options.secret === 'string' ? [options.secret] : (options.secret ?? [])
  if (secrets.length === 0 || secrets.some(secret => typeof secret !== 'string' || secret === ''))
    throw new TypeError('secret must not be empty')

  const { timestamp, signatures } = parseHeader(options.header)
  const signed = concat(
    encoder.encode(`${timestamp}.`),
    typeof payload === 'string' ? encoder.encode(payload) : payload,
  )
  const expected = await Promise.all(secrets.map(secret => sign(secret, signed)))
  if (!expected.some(each => matchesAny(signatures, each))) {
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

function parseHeader(header: VerifyWebhookOptions['header']): { timestamp: number; signatures: Uint8Array[] } {
  if (header === null || header === undefined || header === '') {
    throw new WebhookVerificationError('header_missing', 'The X-Webhook-Signature header is missing')
  }
  if (typeof header !== 'string' || header.length > maxHeaderLength) throw malformed()
  const times: string[] = []
  const signatures: Uint8Array[] = []
  for (const part of header.split(',')) {
    const [name, ...rest] = part.split('=')
    const value = rest.join('=')
    if (name === 't') times.push(value)
    if (name === 'v1' && value === '') throw malformed()
    // Anything but 64 lowercase hex digits can match nothing; it must not reach the comparison with a length of its own.
    if (name === 'v1' && /^[0-9a-f]{64}$/.test(value)) signatures.push(bytesOf(value))
  }
  const [time = ''] = times
  const valid = times.length === 1 && /^(?:0|[1-9]\d{0,11})$/.test(time)
  if (!valid || signatures.length === 0 || signatures.length > maxSignatures) throw malformed()
  return { timestamp: Number(time), signatures }
}

function malformed(): WebhookVerificationError {
  return new WebhookVerificationError('header_malformed', 'The X-Webhook-Signature header is not t=<seconds>,v1=<hex>')
}

async function sign(secret: string, signed: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return new Uint8Array(await globalThis.crypto.subtle.sign('HMAC', await keyOf(secret), signed))
}

type Key = Awaited<ReturnType<typeof globalThis.crypto.subtle.importKey>>

/** Importing a key takes longer than signing with it. */
const keys = new Map<string, Promise<Key>>()
const maxKeys = 16

function keyOf(secret: string): Promise<Key> {
  const known = keys.get(secret)
  if (known !== undefined) return known
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = globalThis.crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['sign'])
  if (keys.size >= maxKeys) keys.clear()
  keys.set(secret, key)
  return key
}

function concat(head: Uint8Array, rest: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(head.length + rest.length)
  whole.set(head)
  whole.set(rest, head.length)
  return whole
}

const bytesOf = (hex: string): Uint8Array =>
  Uint8Array.from({ length: hex.length / 2 }, (_, at) => Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16))

// Compares with every signature, and every byte of it, so that the time taken does not reveal how much matched.
function matchesAny(signatures: readonly Uint8Array[], expected: Uint8Array): boolean {
  const differences = signatures.map(signature => signature.reduce((sum, byte, at) => sum | (byte ^ expected[at]!), 0))
  return differences.filter(difference => difference === 0).length > 0
}

function parsePayload(payload: string | Uint8Array): unknown {
  const text = typeof payload === 'string' ? payload : new TextDecoder().decode(payload)
  try {
    return JSON.parse(text)
  } catch {
    throw new WebhookVerificationError('payload_not_json', 'The payload is signed but is not JSON')
  }
}
