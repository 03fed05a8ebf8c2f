import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pictureSize } from './picture-size.ts'

const hex = (...parts: string[]): Buffer => Buffer.from(parts.join(''), 'hex')
const PNG = hex('89504e470d0a1a0a', '0000000d49484452', '00003e80', '00001f40', '0802000000')
const JPEG = hex('ffd8', 'ffe00010', '00'.repeat(14), 'ffff', 'ffc4000400ff', 'ffc20011081f403e80', '00'.repeat(20))
const riff = (chunk: string) => Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBP'), hex(chunk), Buffer.alloc(20)])
const WEBPS = [
  riff('56503858' + '0a000000' + '00000000' + '7f3e00' + '3f1f00'),
  riff('5650384c' + '0a000000' + '2f' + '7ffecf07'),
  riff('56503820' + '0a000000' + '000000' + '9d012a' + '803e' + '401f'),
]

const heads: Array<[string, Buffer]> = [
  ['png', PNG],
  ['jpeg', JPEG],
  ...WEBPS.map((webp): [string, Buffer] => ['webp', webp]),
]

test.each(heads)('the size of a %s is read from its head', (_, head) => {
  expect(pictureSize(head)).toEqual({ width: 16_000, height: 8_000 })
})

test('a truncated head, or one without a size, gives none', () => {
  for (const head of [PNG, JPEG, ...WEBPS]) {
    for (let length = 0; length < 24; length++) expect(pictureSize(head.subarray(0, length))).toBeUndefined()
  }
  expect(pictureSize(hex('89504e470d0a1a0a', '0000000d49484452', '00000000', '00001f40'))).toBeUndefined()
  expect(pictureSize(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'))).toBeUndefined()
})

test('the search ends for any bytes that follow', () => {
  const first = fc.constantFrom(PNG.subarray(0, 8), hex('ffd8ff'), Buffer.from('RIFF\0\0\0\0WEBP'), Buffer.alloc(0))
  fc.assert(
    fc.property(first, fc.uint8Array({ maxLength: 400 }), (head, rest) => {
      const found = pictureSize(Buffer.concat([head, rest]))
      expect(found === undefined || (found.width > 0 && found.height > 0)).toBe(true)
    }),
  )
  const markers = Buffer.alloc(256 * 1024, 0xff)
  markers.set([0xff, 0xd8], 0)
  expect(pictureSize(markers)).toBeUndefined()
})
