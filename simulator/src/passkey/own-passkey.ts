import { Refused } from '../refused.ts'
import { userOf } from '../people.ts'
import type { Network } from '../world/network.ts'
import type { PasskeyCeremony } from '../world/pairing.ts'
import { type Assertion, type AssertionFlaws, assertionOf, passkeyOf } from './software-key.ts'

/** What the owner of a number can do with its passkey while a client is asked for it. */
export interface OwnPasskey {
  /** The word of the passkey, for the challenge of the platform that a client was given. */
  assertion(challenge: string, flaws?: AssertionFlaws): Assertion
  /** What the phone shows to be compared with what the client shows. */
  code(): string
  /** The platform asks a client for it now. */
  readonly isAskedFor: boolean
  /** The client has proven that it showed the code that was scanned. */
  readonly isProven: boolean
  /** For an authenticator other than this one: PKCS#8, and what the key is known by. */
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
    get isAskedFor() {
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
