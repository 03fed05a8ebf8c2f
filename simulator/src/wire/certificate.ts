import { proto } from 'baileys'
import { generateKeyPair, generateSigningKeyPair, type KeyPair, sign, type SigningKeyPair } from '../signal/curve.ts'

/** The server's identity. Clients must trust `root`. */
export interface ServerKeys {
  readonly root: SigningKeyPair
  readonly static: KeyPair
  /** Root certifies an intermediate, the intermediate certifies `static`. */
  readonly certificate: Uint8Array
}

const NOT_BEFORE = 1
const NOT_AFTER = 4_000_000_000

export function createServerKeys(): ServerKeys {
  const root = generateSigningKeyPair()
  const intermediate = generateSigningKeyPair()
  const serverStatic = generateKeyPair()
  const { Details } = proto.CertChain.NoiseCertificate
  const validity = { notBefore: NOT_BEFORE, notAfter: NOT_AFTER }
  const intermediateDetails = Details.encode({
    serial: 1,
    issuerSerial: 0,
    key: intermediate.public,
    ...validity,
  }).finish()
  const leafDetails = Details.encode({ serial: 2, issuerSerial: 1, key: serverStatic.public, ...validity }).finish()
  const certificate = proto.CertChain.encode({
    intermediate: { details: intermediateDetails, signature: sign(root, intermediateDetails) },
    leaf: { details: leafDetails, signature: sign(intermediate, leafDetails) },
  }).finish()
  return { root, static: serverStatic, certificate }
}
