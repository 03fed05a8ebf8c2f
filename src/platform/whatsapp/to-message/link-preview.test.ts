import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import type { GuardedDownload } from './fetch-media.ts'
import { previewOf } from './link-preview.ts'

const preview = (html: string) => {
  const download = (async () => ({ ok: true, body: Readable.from([Buffer.from(html)]) })) as unknown as GuardedDownload
  return previewOf('see https://example.com/page', download, AbortSignal.timeout(5_000))
}

test.each([
  ['<title lang="en">A &amp; B</title>', { title: 'A & B', description: '' }],
  ['<meta content="Open" property="og:title"><title>Plain</title>', { title: 'Open', description: '' }],
  [`<TITLE>İstanbul</TITLE><META NAME='description' CONTENT='City'>`, { title: 'İstanbul', description: 'City' }],
])('%s', async (html, expected) => {
  expect(await preview(html)).toEqual({ matchedText: 'https://example.com/page', ...expected })
})

test.each(['<title', '<meta name="description" ', '<meta <title ', '<title>'])(
  'a page of 256 KB of "%s" holds nobody up',
  async piece => {
    const before = process.cpuUsage()
    await preview(piece.repeat(Math.floor((256 * 1024) / piece.length)))
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000)
  },
)

test('a page without a title gives no preview', async () => {
  expect(await preview('<p>nothing</p>')).toBeUndefined()
})
