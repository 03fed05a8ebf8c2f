import type { Curve, KeyPair } from 'baileys'

/** The key pair that the library makes for a connection, in the moment in which it makes it. */
export function catchKeyPair<T>(curve: typeof Curve, make: () => T): [T, KeyPair | undefined] {
  const original = curve.generateKeyPair
  let caught: KeyPair | undefined
  curve.generateKeyPair = () => {
    const made = original()
    caught ??= made
    return made
  }
  try {
    return [make(), caught]
  } finally {
    curve.generateKeyPair = original
  }
}
