import { signatureHeader } from '../domain/signature.ts'
import { VERSION } from '../version.ts'

/** The headers that the specification fixes for webhook deliveries. Without secrets there is no signature. */
export async function signedHeaders(
  secrets: readonly string[],
  request: { webhookId: string; dedupeId: string; seconds: number; body: Uint8Array },
): Promise<Record<string, string>> {
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
