import type { SignatureScheme } from '../domain/endpoint.ts'
import { signatureHeader, type Signer, standardSignature } from '../domain/signature.ts'
import { VERSION } from '../version.ts'

const USER_AGENT = `Postern/${VERSION}`

export interface SignedRequest {
  webhookId: string
  eventId: string
  dedupeId: string
  seconds: number
  body: Uint8Array
}

/**
 * The headers that the specification fixes for webhook deliveries, or those of Standard Webhooks. Without secrets there
 * is no signature.
 */
export function signedHeaders(
  signers: readonly Signer[],
  request: SignedRequest,
  scheme: SignatureScheme = 'postern',
): Record<string, string> | Promise<Record<string, string>> {
  if (scheme === 'standard') return standardHeaders(signers, request)
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    'X-Webhook-ID': request.webhookId,
    'X-Message-ID': request.dedupeId,
    'X-Timestamp': String(request.seconds),
    'user-agent': USER_AGENT,
  }
  if (signers.length === 0) return headers
  const add = (signature: string): Record<string, string> => {
    headers['X-Webhook-Signature'] = signature
    return headers
  }
  const signature = signatureHeader(signers, request.seconds, request.body)
  return typeof signature === 'string' ? add(signature) : signature.then(add)
}

/** https://www.standardwebhooks.com: the id is the same for each attempt, and for a resend. */
async function standardHeaders(
  signers: readonly Signer[],
  { eventId, seconds, body }: SignedRequest,
): Promise<Record<string, string>> {
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    'webhook-id': eventId,
    'webhook-timestamp': String(seconds),
    'user-agent': USER_AGENT,
  }
  if (signers.length > 0) headers['webhook-signature'] = await standardSignature(signers, eventId, seconds, body)
  return headers
}
