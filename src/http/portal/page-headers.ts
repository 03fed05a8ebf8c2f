import type { FastifyReply } from 'fastify'

/** What every page says about itself to the browser. Without a nonce it has neither scripts nor styles of its own. */
export function secureHeaders(reply: FastifyReply, publicUrl: string, nonce?: string): FastifyReply {
  if (publicUrl.startsWith('https:')) void reply.header('strict-transport-security', 'max-age=31536000')
  return reply
    .header('content-security-policy', contentSecurityPolicy(nonce))
    .header('x-content-type-options', 'nosniff')
    .header('x-frame-options', 'DENY')
    .header('referrer-policy', 'same-origin')
    .header('cross-origin-opener-policy', 'same-origin')
    .header('cross-origin-resource-policy', 'same-origin')
    .header('permissions-policy', 'camera=(), microphone=(), geolocation=(), payment=(), usb=()')
}

function contentSecurityPolicy(nonce: string | undefined): string {
  const styles = nonce === undefined ? "'self'" : `'self' 'nonce-${nonce}'`
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles}`,
    "img-src 'self' data: blob:",
    "media-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}
