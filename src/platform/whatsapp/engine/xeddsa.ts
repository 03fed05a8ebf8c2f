import { createPublicKey, verify } from 'node:crypto'

const ED25519_SPKI = Buffer.from('302a300506032b6570032100', 'hex')
const FIELD = 2n ** 255n - 19n

/**
 * Verifies a Signal signature (XEdDSA): Ed25519 under a Curve25519 key, with the sign bit in the top bit of the
 * signature.
 */
export function verifySignature(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const montgomery = publicKey.length === 33 && publicKey[0] === 5 ? publicKey.subarray(1) : publicKey
  if (montgomery.length !== 32 || signature.length !== 64) return false
  const edwards = toEdwards(montgomery)
  edwards[31]! |= signature[63]! & 0x80
  const plain = Buffer.from(signature)
  plain[63]! &= 0x7f
  try {
    const key = createPublicKey({ key: Buffer.concat([ED25519_SPKI, edwards]), format: 'der', type: 'spki' })
    return verify(null, message, key, plain)
  } catch {
    return false
  }
}

function toEdwards(montgomery: Uint8Array): Buffer {
  const u = BigInt(`0x${Buffer.from(montgomery).reverse().toString('hex')}`) & (2n ** 255n - 1n)
  const y = ((u - 1n + FIELD) * power(u + 1n, FIELD - 2n)) % FIELD
  return Buffer.from(y.toString(16).padStart(64, '0'), 'hex').reverse()
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n
  let square = base % FIELD
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % FIELD
    square = (square * square) % FIELD
  }
  return result
}
