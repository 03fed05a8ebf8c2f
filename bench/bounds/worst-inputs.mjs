import { Readable } from 'node:stream'
import { systemClock } from '../../dist/runtime/clock.js'
import { contentRepeats } from '../../dist/domain/redact.js'
import { searchRepeats } from '../../dist/domain/repeats.js'
import { previewOf } from '../../dist/platform/whatsapp/to-message/link-preview.js'

const MEDIA = 'aaaac'.repeat(1_100_000)
const PIECES = ['<title', '<meta name="description" ', '<meta <title ', '<title>']

/** The worst known inputs that unauthenticated clients can choose, by name, with the work that each causes. */
export const WORST = {
  'redaction: 5 MB of media made to collide with an excerpt': async () =>
    contentRepeats({ media: { data: MEDIA } }, searchRepeats('aaaab'.repeat(200))),
  ...Object.fromEntries(
    PIECES.map(piece => {
      const html = Buffer.from(piece.repeat(Math.floor((256 * 1024) / piece.length)))
      const download = async () => ({ ok: true, body: Readable.from([html]) })
      return [
        `link preview: a page of 256 KB of "${piece}"`,
        () => previewOf('see https://example.com/page', download, new AbortController().signal),
      ]
    }),
  ),
}

/** How long the work takes: the best of three, to exclude other load on the machine. */
export async function bestOf(work) {
  let bestMs = Infinity
  for (let round = 0; round < 3; round++) {
    const began = systemClock.monotonicMs()
    await work()
    bestMs = Math.min(bestMs, systemClock.monotonicMs() - began)
  }
  return bestMs
}
