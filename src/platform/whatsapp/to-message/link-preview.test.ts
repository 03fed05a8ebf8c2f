import { Readable } from 'node:stream'
import { expect, test, vi } from 'vitest'
import type { GuardedDownload } from './fetch-media.ts'
import { pageOf } from './link-preview.ts'

const preview = (html: string) => {
  const download = (async () => ({ ok: true, body: Readable.from([Buffer.from(html)]) })) as unknown as GuardedDownload
  return pageOf('see https://example.com/page', download, new AbortController().signal)
}

test.each([
  ['<title lang="en">A &amp; B</title>', { title: 'A & B', description: '' }],
  ['<meta content="Open" property="og:title"><title>Plain</title>', { title: 'Open', description: '' }],
  [`<TITLE>İstanbul</TITLE><META NAME='description' CONTENT='City'>`, { title: 'İstanbul', description: 'City' }],
])('%s', async (html, expected) => {
  expect(await preview(html)).toEqual({ matchedText: 'https://example.com/page', ...expected })
})

test.each(['<title', '<meta name="description" ', '<meta <title ', '<title>'])(
  'a page of 256 KB of "%s" is read through a few times, not once for each of them',
  async piece => {
    const page = piece.repeat(Math.floor((256 * 1024) / piece.length))
    const searches = [vi.spyOn(RegExp.prototype, 'exec'), vi.spyOn(String.prototype, 'indexOf')]
    await preview(page)
    const many = searches.reduce((sum, search) => sum + search.mock.calls.length, 0)
    searches.forEach(search => search.mockRestore())
    expect(many).toBeLessThan(200)
  },
)

test('a page without a title gives no preview', async () => {
  expect(await preview('<p>nothing</p>')).toBeUndefined()
})
