import { stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { mediaIdOf } from '../../../domain/media.ts'
import type { Content } from '../../../domain/message.ts'
import { mediaFailed, transient } from '../errors.ts'
import { type Findings, MediaExaminer, type Question, type Turn } from './examine-media.ts'
import { CONVERTED_FILE, type FetchedMedia } from './fetch-media.ts'
import { newFileKey, readSealed, readSealedHead, type SealedFile } from './sealed-file.ts'

type Media = Extract<Content, { type: 'media' }>

/** Apart from the examiner, so that no thumbnail waits for a long sound. */
const converter = new MediaExaminer({ waitMs: 40_000, workMs: 40_000 })

const OPUS_IN_OGG = 'audio/ogg; codecs=opus'

/** A file as its message needs it, with what was found while it was converted. */
export interface Converted {
  media: FetchedMedia
  seconds?: number | undefined
  waveform?: Uint8Array | undefined
}

/** A picture for a preview of a link. */
interface PreviewPicture {
  read(): Readable
  width: number
  height: number
  /** A small JPEG. */
  thumbnail: Uint8Array
}

/** `undefined`: it is no picture that can be opened. */
export async function convertToPreview(
  { file }: FetchedMedia,
  around: Pick<Around, 'turn' | 'signal'>,
): Promise<PreviewPicture | undefined> {
  if (file === undefined) return undefined
  const into = besides(file)
  const { isConverted, width, height, thumbnail } = await convert({ about: 'preview', into, ...file }, around)
  if (!isConverted) return undefined
  return { read: () => readSealed(into), width: width!, height: height!, thumbnail: Buffer.from(thumbnail!, 'base64') }
}

interface Around {
  turn: Turn
  /** The path of ffmpeg; `null` if it is not installed. */
  ffmpeg: string | null
  signal: AbortSignal
}

/**
 * Converts a sound to a voice message and a picture to a sticker. Other types are sent as they are. Rejects with
 * MEDIA_FAILED if the file cannot be converted.
 */
export async function convertMedia(content: Media, media: FetchedMedia, around: Around): Promise<Converted> {
  if (content.mediaType === 'voice' && media.file !== undefined)
    return await toVoice(content, media, media.file, around)
  if (content.mediaType === 'sticker' && media.file !== undefined)
    return await toSticker(content, media, media.file, around)
  return { media }
}

async function toSticker(content: Media, media: FetchedMedia, file: SealedFile, around: Around): Promise<Converted> {
  if (media.mimetype === 'image/webp') return { media }
  const into = besides(file)
  const { isConverted } = await convert({ about: 'sticker', into, ...file }, around)
  if (isConverted) return { media: await converted(media, into, 'image/webp') }
  throw failed(
    content,
    `the content is ${media.mimetype}, which could not be converted to a sticker: send a WebP, JPEG, PNG or GIF image`,
  )
}

async function toVoice(content: Media, media: FetchedMedia, file: SealedFile, around: Around): Promise<Converted> {
  const { ffmpeg } = around
  const channels = opusChannels(await media.head(OPUS_HEAD_BYTES))
  if (ffmpeg === null) {
    if (channels !== undefined) return { media }
    throw failed(
      content,
      `the content is ${media.mimetype}, not Opus in Ogg: send a voice message in that format, or install ffmpeg on the machine of the gateway, which converts other audio`,
    )
  }
  const into = besides(file)
  const question = { about: 'voice', ffmpeg, into, ...file } as const
  // A file that can be sent as it is does not fail because others wait to be converted.
  const { isConverted, seconds, waveform } =
    channels === 1 ? await converter.examine(around.turn, question, around.signal) : await convert(question, around)
  const found = { seconds, waveform: waveform === undefined ? undefined : Buffer.from(waveform, 'base64') }
  if (channels === 1) return { media, ...found }
  if (isConverted) return { media: await converted(media, into, OPUS_IN_OGG), ...found }
  throw failed(content, `the content is ${media.mimetype}, which could not be converted to a voice message`)
}

const failed = ({ url }: Media, problem: string) =>
  mediaFailed(`${mediaIdOf(url) === undefined ? 'media_url' : 'media_id'}: ${problem}`)

async function convert(question: Question, { turn, signal }: Pick<Around, 'turn' | 'signal'>): Promise<Findings> {
  const findings = await converter.examine(turn, question, signal)
  if (findings.isUnexamined) throw transient('too many files wait to be converted')
  return findings
}

const besides = ({ path }: SealedFile): SealedFile => ({ path: join(dirname(path), CONVERTED_FILE), key: newFileKey() })

async function converted(media: FetchedMedia, file: SealedFile, mimetype: string): Promise<FetchedMedia> {
  const { size } = await stat(file.path)
  return {
    ...media,
    read: () => readSealed(file),
    head: bytes => readSealedHead(file, bytes),
    file,
    mimetype,
    bytes: size,
  }
}

/** The header of Opus is in the first page of an Ogg file, which has one segment. */
const OPUS_AT = 28
const OPUS_HEAD_BYTES = OPUS_AT + 10

/** How many channels an Opus sound in Ogg has; `undefined` for everything else. */
function opusChannels(head: Uint8Array): number | undefined {
  const bytes = Buffer.from(head)
  const isOpus =
    bytes.toString('latin1', 0, 4) === 'OggS' && bytes.toString('latin1', OPUS_AT, OPUS_AT + 8) === 'OpusHead'
  return isOpus ? bytes[OPUS_AT + 9] : undefined
}
