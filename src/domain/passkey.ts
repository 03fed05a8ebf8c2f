/** The options for `navigator.credentials.get`, as the platform wrote them. The challenge in them is a secret. */
export interface PasskeyOptions {
  challenge: string
  timeout?: number
  rpId?: string
  [option: string]: unknown
}

/** The response of a browser: the JSON of the credential, with its bytes in base64url without padding. */
export interface PasskeyAssertion {
  id: string
  rawId: string
  type: 'public-key'
  response: {
    clientDataJSON: string
    authenticatorData: string
    signature: string
    userHandle: string | null
  }
}

/** What a pairing's worker does with a person's answer. */
export type PairingAnswer =
  | {
      kind: 'passkey'
      assertion: PasskeyAssertion
      /** A person compares codes even if it can be proved that the phone has scanned our code. */
      compareCodes: boolean
    }
  | { kind: 'confirm' }
  | { kind: 'new_code' }

const MAX_OPTIONS = 16_384

/** `undefined` if these are not options for a browser. */
export function parsePasskeyOptions(text: string): PasskeyOptions | undefined {
  if (text.length > MAX_OPTIONS) return undefined
  try {
    const options: unknown = JSON.parse(text)
    const { challenge } = (options ?? {}) as { challenge?: unknown }
    return typeof challenge === 'string' && /^[\w-]{16,}$/.test(challenge) ? (options as PasskeyOptions) : undefined
  } catch {
    return undefined
  }
}
