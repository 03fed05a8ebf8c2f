/**
 * The text in a buffer of its own. Node puts small texts into a shared buffer of 8 KB: each that is kept keeps all of
 * it, and another thread gets a copy of all of it.
 */
export function ownBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  bytes.write(text)
  return bytes
}
