import { describe, expect, it } from 'vitest'
import { fileTypeOf, makeUploadId, partName, uploadIdOf, uploadUrl } from './upload.ts'

describe('An upload', () => {
  it('is found again by the URL that stands for it, and no two are called the same', () => {
    const ids = Array.from({ length: 1_000 }, makeUploadId)
    expect(new Set(ids).size).toBe(1_000)
    for (const id of ids) expect(uploadIdOf(uploadUrl(id))).toBe(id)
  })

  it.each([
    'https://example.com/sandbox-upload:aaaaaaaaaaaaaaaaaaaaaaaa',
    'sandbox-upload:',
    'sandbox-upload:short',
    'sandbox-upload:aaaaaaaaaaaaaaaaaaaaaaaaa',
    'sandbox-upload:aaaaaaaaaaaaaaaaaaaaaaaa\n',
    'sandbox-upload://aaaaaaaaaaaaaaaaaaaaaa',
    'SANDBOX-UPLOAD:aaaaaaaaaaaaaaaaaaaaaaaa',
    'file:///etc/passwd',
  ])('is nothing that %j could stand for', url => expect(uploadIdOf(url)).toBeUndefined())

  it('has parts whose names sort in their order', () => {
    const names = [0, 9, 10, 99, 255, 1_000].map(partName)
    expect(names.toSorted()).toEqual(names)
  })

  it.each([
    ['image/jpeg', 'image/jpeg'],
    [' Text/Plain; charset=utf-8', 'text/plain'],
    ['application/vnd.oasis.opendocument.text', 'application/vnd.oasis.opendocument.text'],
    ['multipart/form-data; boundary=x', undefined],
    ['application/x-www-form-urlencoded', undefined],
    ['', undefined],
    ['jpeg', undefined],
    ['image/', undefined],
    ['image/jpeg<script>', undefined],
    [`image/${'x'.repeat(65)}`, undefined],
  ])('whose Content-Type is %j is %s', (given, type) => expect(fileTypeOf(given)).toBe(type))
})
