import type { SignatureScheme } from '../domain/endpoint.ts'
import { signatureHeader, standardSignature } from '../domain/signature.ts'
import { VERSION } from '../version.ts'

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
export async function signedHeaders(
  secrets: readonly string[],
  request: SignedRequest,
  scheme: SignatureScheme = 'postern',
): Promise<Record<string, string>> {
  if (scheme === 'standard') return await standardHeaders(secrets, request)
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    'X-Webhook-ID': request.webhookId,
    'X-Message-ID': request.dedupeId,
    'X-Timestamp': String(request.seconds),
    'user-agent': `Postern/${VERSION}`,
  }
  if (secrets.length > 0) {
    headers['X-Webhook-Signature'] = await signatureHeader(secrets, request.seconds, request.body)
  }
  return headers
}

/** https://www.standardwebhooks.com: the id is the same for each attempt, and for a resend. */
async function standardHeaders(
  secrets: readonly string[],
  { eventId, seconds, body }: SignedRequest,
): Promise<Record<string, string>> {
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    'webhook-id': eventId,
    'webhook-timestamp': String(seconds),
    'user-agent': `Postern/${VERSION}`,
  }
  if (secrets.length > 0) headers['webhook-signature'] = await standardSignature(secrets, eventId, seconds, body)
  return headers
}
