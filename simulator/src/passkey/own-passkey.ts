import { Refused } from '../refused.ts'
import { userOf } from '../people.ts'
import type { Network } from '../world/network.ts'
import type { PasskeyCeremony } from '../world/pairing.ts'
import { type Assertion, type AssertionFlaws, assertionOf, passkeyOf } from './software-key.ts'

/** What the owner of a number can do with its passkey while the platform requires it of a client. */
export interface OwnPasskey {
  /** Signs the challenge that the platform gave the client. */
  assertion(challenge: string, flaws?: AssertionFlaws): Assertion
  /** The code on the phone, for its owner to compare with the client's. */
  code(): string
  /** Whether the platform waits for a client to present the passkey. */
  readonly isRequested: boolean
  /** Whether the client has proven that it showed the scanned code. */
  readonly isProven: boolean
  /** For another authenticator: the key as PKCS#8, and its identifiers. */
  export(): { privateKey: Buffer; credentialId: Buffer; userHandle: Buffer }
}

export function ownPasskey(network: Network, digits: string): OwnPasskey {
  const key = passkeyOf(userOf(network, digits))
  const ceremony = (): PasskeyCeremony | undefined =>
    [...network.pairings].map(({ passkey }) => passkey).findLast(passkey => passkey?.digits === digits)
  return {
    assertion: (challenge, flaws) => assertionOf(key, challenge, flaws),
    code() {
      const code = ceremony()?.code
      if (code === undefined) throw new Refused('the phone shows no code to compare')
      return code
    },
    get isRequested() {
      return ceremony() !== undefined
    },
    get isProven() {
      return ceremony()?.isProven === true
    },
    export: () => ({
      privateKey: key.privateKey.export({ format: 'der', type: 'pkcs8' }),
      credentialId: key.credentialId,
      userHandle: key.userHandle,
    }),
  }
}
