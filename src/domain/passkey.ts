/** What `navigator.credentials.get` is asked for, as the platform wrote it. The challenge in it is a secret. */
export interface PasskeyOptions {
  challenge: string
  timeout?: number
  rpId?: string
  [option: string]: unknown
}

/** What a browser answers: the JSON of the credential, its bytes in base64url without padding. */
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

/** What a pairing's worker is asked to do with what a person brings. */
export type PairingAnswer =
  | {
      kind: 'passkey'
      assertion: PasskeyAssertion
      /** A person compares codes, although we could prove that the phone has scanned ours. */
      compareCodes: boolean
    }
  | { kind: 'confirm' }
  | { kind: 'new_code' }

const MAX_OPTIONS = 16_384

/** `undefined` where it is not what a browser could be asked. */
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
