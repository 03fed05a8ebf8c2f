import { mediaIdOf } from '../../../domain/media.ts'
import { mediaFailed, transient } from '../errors.ts'
import type { SessionContext } from '../session-context.ts'
import { examiner } from './examine-media.ts'
import { withFetchedMedia } from './fetch-media.ts'
import { MAX_PIXELS, PICTURE_HEAD_BYTES, pictureSize } from './picture-size.ts'

/** A client waits for the whole request, so a slow server gets less time than for a message. */
const FETCH_MS = 4_000
const MAX_BYTES = 16 * 1024 * 1024

/** Fetches a picture and makes of it what the platform takes for people, groups and channels: a square JPEG. */
export function profilePicture(
  { turn, download }: Pick<SessionContext, 'turn' | 'download'>,
  url: string,
  signal: AbortSignal,
): Promise<Buffer> {
  const quickly: typeof download = request => download({ ...request, maxBytes: MAX_BYTES, timeoutMs: FETCH_MS })
  return withFetchedMedia({ url, mediaType: 'image' }, quickly, signal, async media => {
    const size = pictureSize(await media.head(PICTURE_HEAD_BYTES))
    const mayOpen = media.file !== undefined && size !== undefined && size.width * size.height <= MAX_PIXELS
    const { square, isUnexamined } = mayOpen
      ? await examiner.examine(turn, { about: 'square', ...media.file! }, signal)
      : {}
    signal.throwIfAborted()
    if (isUnexamined) throw transient('too many pictures wait to be opened')
    if (square === undefined) throw mediaFailed(`${fieldOf(url)}: the picture cannot be opened`)
    return Buffer.from(square, 'base64')
  })
}

const fieldOf = (url: string): string => (mediaIdOf(url) === undefined ? 'media_url' : 'media_id')
