import { stat } from 'node:fs/promises'
import { setPriority } from 'node:os'
import { Readable } from 'node:stream'
import { systemClock } from '../../../runtime/clock.ts'
import type { Findings, Question } from './examine-media.ts'
import { endPrograms, runFfmpeg } from './ffmpeg.ts'
import { Loudness } from './loudness.ts'
import { MAX_PIXELS, pictureSize } from './picture-size.ts'
import { readSealed, type SealedFile, writeSealed } from './sealed-file.ts'

/**
 * The entry of a separate process that opens untrusted files: it has no secret of the gateway and blocks no other work.
 * Its parent kills it at a deadline; it kills itself when a file takes too much memory.
 */
const MAX_RESIDENT_BYTES = 256 * 1024 * 1024
const CHECK_INTERVAL_MS = 10
const NICE = 10
const LOADERS = ['Jpeg', 'Png', 'Webp', 'Nsgif'].map(format => `VipsForeignLoad${format}Buffer`)

/** A normal exit would wait for the threads that work on the file. The programs that it runs are in its group. */
const end = (): void => void process.kill(0, 'SIGKILL')

async function loadSharp() {
  const { default: sharp } = await import('sharp')
  sharp.concurrency(1)
  sharp.cache(false)
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({ operation: LOADERS })
  return sharp
}

const wholeOf = async (file: SealedFile): Promise<Buffer> => Buffer.concat(await readSealed(file).toArray())

async function thumbnail(file: SealedFile): Promise<Findings> {
  return { thumbnail: await smallJpeg(await wholeOf(file)) }
}

async function smallJpeg(picture: Buffer): Promise<string> {
  const sharp = await loadSharp()
  const small = await sharp(picture, { limitInputPixels: MAX_PIXELS, sequentialRead: true })
    .resize({ width: 32, height: 64, fit: 'inside' })
    .jpeg({ quality: 50 })
    .toBuffer()
  return small.toString('base64')
}

const PREVIEW_PIXELS = { large: 1_200, small: 192 }

/** A large JPEG for a preview of a link, and a small one that is shown first. */
async function preview(file: SealedFile, into: SealedFile): Promise<Findings> {
  const sharp = await loadSharp()
  const scaled = async (pixels: number) =>
    await sharp(await wholeOf(file), { limitInputPixels: MAX_PIXELS, sequentialRead: true })
      .rotate()
      .resize({ width: pixels, height: pixels, fit: 'inside', withoutEnlargement: true })
      .flatten({ background: '#fff' })
      .jpeg({ quality: 80 })
      .toBuffer({ resolveWithObject: true })
  const { data, info } = await scaled(PREVIEW_PIXELS.large)
  await writeSealed(into, Readable.from([data], { objectMode: false }))
  const { data: small } = await scaled(PREVIEW_PIXELS.small)
  return { isConverted: true, width: info.width, height: info.height, thumbnail: small.toString('base64') }
}

const STICKER_PIXELS = 512

/** A square WebP, transparent where the picture is not square; it moves if the picture does. */
async function sticker(file: SealedFile, into: SealedFile): Promise<Findings> {
  const sharp = await loadSharp()
  const size = { width: STICKER_PIXELS, height: STICKER_PIXELS }
  const converted = await sharp(await wholeOf(file), { limitInputPixels: MAX_PIXELS, animated: true })
    .rotate()
    .resize({ ...size, fit: 'contain', background: { r: 0, g: 0, b: 0, alpha: 0 } })
    .webp({ quality: 80 })
    .toBuffer()
  await writeSealed(into, Readable.from([converted], { objectMode: false }))
  return { isConverted: true }
}

/** Converts any sound to that of a voice message, and measures its loudness. */
async function voice(file: SealedFile, into: SealedFile, ffmpeg: string): Promise<Findings> {
  const opus = '-map 0:a:0 -map_metadata -1 -ac 1 -ar 48000 -c:a libopus -b:a 32k -application voip -f ogg pipe:1'
  const samples = `-map 0:a:0 -ac 1 -ar ${Loudness.RATE} -f s16le pipe:3`
  const args = [...opus.split(' '), ...samples.split(' ')]
  const { output, second, ended } = await runFfmpeg(ffmpeg, file, args)
  const loudness = new Loudness()
  const [, , hasSucceeded] = await Promise.all([writeSealed(into, output), loudness.measure(second), ended])
  const { seconds } = loudness
  if (!hasSucceeded || seconds === 0) return {}
  return { isConverted: true, seconds, waveform: loudness.waveform().toString('base64') }
}

const MAX_FRAME_BYTES = 48 * 1024 * 1024

/** Its length, and with ffmpeg also its size and its first picture, turned as a player turns it. */
async function video(file: SealedFile, ffmpeg: string | null): Promise<Findings> {
  const known = await seconds(file).catch((): Findings => ({}))
  if (ffmpeg === null) return known
  const args = [
    '-map',
    '0:v:0',
    '-frames:v',
    '1',
    '-pix_fmt',
    'yuvj420p',
    '-c:v',
    'mjpeg',
    '-f',
    'image2pipe',
    'pipe:1',
  ]
  const { output, second, length, ended } = await runFfmpeg(ffmpeg, file, args)
  second.resume()
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of output) {
    bytes += (chunk as Buffer).length
    if (bytes > MAX_FRAME_BYTES) return known
    chunks.push(chunk as Buffer)
  }
  await ended
  const frame = Buffer.concat(chunks)
  const size = pictureSize(frame)
  const found = { ...known, ...(length() !== undefined && { seconds: length()! }) }
  return size === undefined ? found : { ...found, ...size, thumbnail: await smallJpeg(frame) }
}

/** Cameras write which side is up; without it the picture of a profile would lie on its side. */
async function square(file: SealedFile): Promise<Findings> {
  const sharp = await loadSharp()
  const picture = await sharp(await wholeOf(file), { limitInputPixels: MAX_PIXELS, sequentialRead: true })
    .rotate()
    .resize({ width: 640, height: 640, fit: 'cover' })
    .flatten({ background: 'white' })
    .jpeg({ quality: 85 })
    .toBuffer()
  return { square: picture.toString('base64') }
}

async function seconds(file: SealedFile): Promise<Findings> {
  const { parseStream } = await import('music-metadata')
  const { size } = await stat(file.path)
  const { format } = await parseStream(readSealed(file), { size }, { duration: true, skipCovers: true })
  return format.duration === undefined ? {} : { seconds: format.duration }
}

function examine(question: Question): Promise<Findings> {
  const file = { path: question.path, key: question.key }
  switch (question.about) {
    case 'thumbnail':
      return thumbnail(file)
    case 'square':
      return square(file)
    case 'seconds':
      return seconds(file)
    case 'video':
      return video(file, question.ffmpeg)
    case 'sticker':
      return sticker(file, question.into)
    case 'preview':
      return preview(file, question.into)
    case 'voice':
      return voice(file, question.into, question.ffmpeg)
  }
}

async function answer(question: Question): Promise<void> {
  const answered = new AbortController()
  void watchMemory(answered.signal)
  const findings = await examine(question).catch((): Findings => ({}))
  endPrograms()
  answered.abort()
  process.send!(findings)
}

async function watchMemory(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await systemClock.sleep(CHECK_INTERVAL_MS, signal)
    if (!signal.aborted && process.memoryUsage.rss() > MAX_RESIDENT_BYTES) end()
  }
}

setPriority(NICE)
process.on('disconnect', end)
process.on('message', (question: Question) => void answer(question))
