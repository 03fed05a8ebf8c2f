import { useState } from 'react'

/** The Idempotency-Key of a dialog: sending its form again creates nothing twice. */
export function useRequestKey(): string {
  // Unlike `randomUUID`, it exists on pages without TLS too.
  const [key] = useState(() => [...crypto.getRandomValues(new Uint32Array(4))].map(part => part.toString(36)).join('-'))
  return key
}
