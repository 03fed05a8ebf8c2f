import { signatureHeader, type Signer } from '../domain/signature.ts'
import { VERSION } from '../version.ts'

const USER_AGENT = `Postern/${VERSION}`

/** The headers that the specification fixes for webhook deliveries, without the signature if there are no secrets. */
export function signedHeaders(
  signers: readonly Signer[],
  request: { webhookId: string; dedupeId: string; seconds: number; body: Uint8Array },
): Record<string, string> | Promise<Record<string, string>> {
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
