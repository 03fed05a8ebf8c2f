import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Seal } from './seal.ts'

const [first, second] = [randomBytes(32), randomBytes(32)]

it('what is sealed opens again, byte for byte', () => {
  const seal = new Seal([first])
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2_000 }), fc.string(), (bytes, about) => {
      expect(Buffer.compare(seal.open(seal.seal(bytes, about), about), Buffer.from(bytes))).toBe(0)
    }),
  )
  expect(seal.open(seal.seal('🙂\0x', 'a'), 'a').toString()).toBe('🙂\0x')
})

it('sealed in chunks or whole, opened in chunks or whole, it is the same', async () => {
  const seal = new Seal([first])
  for (const length of [0, 1, 262_144, 262_145, 1_000_000]) {
    const bytes = randomBytes(length)
    const chunks = [bytes.subarray(0, length >> 1), bytes.subarray(length >> 1)]
    for (const sealed of [seal.seal(bytes, 'a'), await seal.sealChunks(chunks, 'a')]) {
      expect(seal.open(sealed, 'a').equals(bytes)).toBe(true)
      expect((await seal.openChunks(sealed, 'a')).equals(bytes)).toBe(true)
      await expect(seal.openChunks(sealed, 'b')).rejects.toThrow()
    }
  }
})

it('shows nothing of what it holds, and is another each time', () => {
  const seal = new Seal([first])
  const sealed = Array.from({ length: 600 }, () => seal.seal('canary-canary', 'a'))
  expect(new Set(sealed.map(each => each.toString('hex'))).size).toBe(600)
  for (const each of sealed) expect(each.includes('canary')).toBe(false)
})

it('moved to another row, or changed in any bit, it does not open', () => {
  const seal = new Seal([first])
  const sealed = seal.seal('hello', 'message:1')
  expect(() => seal.open(sealed, 'message:2')).toThrow()
  for (let i = 0; i < sealed.length; i++) {
    const changed = Buffer.from(sealed)
    changed[i]! ^= 1
    expect(() => seal.open(changed, 'message:1')).toThrow()
  }
  for (let length = 0; length < sealed.length; length++)
    expect(() => seal.open(sealed.subarray(0, length), 'message:1')).toThrow()
})

it('rotation: new,old opens both, seals under the new one, and knows what is old', () => {
  const old = new Seal([first]).seal('hello', 'a')
  const ring = new Seal([second, first])
  expect(ring.open(old, 'a').toString()).toBe('hello')
  expect(ring.isOld(old)).toBe(true)
  const fresh = ring.seal('hello', 'a')
  expect(ring.isOld(fresh)).toBe(false)
  expect(new Seal([second]).open(fresh, 'a').toString()).toBe('hello')
  expect(() => new Seal([second]).open(old, 'a')).toThrow('POSTERN_SECRET_KEY')
})
