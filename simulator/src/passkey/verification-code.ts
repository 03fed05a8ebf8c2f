import { createHash } from 'node:crypto'

const LETTERS = '123456789ABCDEFGHJKLMNPQRSTVWXYZ'

/** Eight letters of five bits each, in two halves. */
export function codeOfBytes(bytes: Uint8Array): string {
  const bits = BigInt(`0x${Buffer.from(bytes.subarray(0, 5)).toString('hex')}`)
  const letters = Array.from({ length: 8 }, (_, index) => LETTERS[Number((bits >> BigInt(35 - 5 * index)) & 31n)]!)
  return `${letters.slice(0, 4).join('')}-${letters.slice(4).join('')}`
}

/** The code on the phone, for its owner to compare with the client's. */
export function verificationCode(companionNonce: Uint8Array, publicKey: Uint8Array, nonce: Uint8Array): string {
  const digest = createHash('sha256').update(companionNonce).update(publicKey).digest()
  return codeOfBytes(digest.subarray(0, 5).map((byte, index) => byte ^ nonce[index]!))
}
