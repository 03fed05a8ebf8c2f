import { createCipheriv, createDecipheriv, pbkdf2, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { Refused } from '../refused.ts'
import { derive } from '../signal/derive.ts'

const ITERATIONS = 131_072

function codeKey(code: string, salt: Buffer): Promise<Buffer> {
  return promisify(pbkdf2)(code, salt, ITERATIONS, 32, 'sha256')
}

/** Decrypts the other side's ephemeral key with the code: salt, counter block and key. */
export async function unwrap(code: string, wrapped: Buffer): Promise<Buffer> {
  const decipher = createDecipheriv(
    'aes-256-ctr',
    await codeKey(code, wrapped.subarray(0, 32)),
    wrapped.subarray(32, 48),
  )
  return Buffer.concat([decipher.update(wrapped.subarray(48, 80)), decipher.final()])
}

export async function wrap(code: string, key: Buffer): Promise<Buffer> {
  const salt = randomBytes(32)
  const iv = randomBytes(16)
  const cipher = createCipheriv('aes-256-ctr', await codeKey(code, salt), iv)
  return Buffer.concat([salt, iv, cipher.update(key), cipher.final()])
}

/** Decrypts the client's keys with the secret that both sides derive from the code. */
export function openBundle(secret: Buffer, bundle: Buffer): Buffer {
  const key = derive(secret, bundle.subarray(0, 32), 'link_code_pairing_key_bundle_encryption_key', 32)
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bundle.subarray(32, 44))
    decipher.setAuthTag(bundle.subarray(-16))
    return Buffer.concat([decipher.update(bundle.subarray(44, -16)), decipher.final()])
  } catch {
    throw new Refused('the code is wrong')
  }
}
