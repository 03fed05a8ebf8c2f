import { stat } from 'node:fs/promises'
import { setPriority } from 'node:os'
import { systemClock } from '../../../runtime/clock.ts'
import type { Findings, Question } from './examine-media.ts'
import { MAX_PIXELS } from './picture-size.ts'
import { readSealed, type SealedFile } from './sealed-file.ts'

/**
 * The entry of a separate process that opens untrusted files: it has no secret of the gateway and blocks no other work.
 * Its parent kills it at a deadline; it kills itself when a file takes too much memory.
 */
const MAX_RESIDENT_BYTES = 256 * 1024 * 1024
const CHECK_INTERVAL_MS = 10
const NICE = 10
const LOADERS = ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer', 'VipsForeignLoadWebpBuffer']

/** A normal exit would wait for the threads that work on the file. */
const end = (): void => void process.kill(process.pid, 'SIGKILL')

async function open(file: SealedFile) {
  const { default: sharp } = await import('sharp')
  sharp.concurrency(1)
  sharp.cache(false)
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({ operation: LOADERS })
  const picture = Buffer.concat(await readSealed(file).toArray())
  return sharp(picture, { limitInputPixels: MAX_PIXELS, sequentialRead: true })
}

async function thumbnail(file: SealedFile): Promise<Findings> {
  const small = await (await open(file))
    .resize({ width: 32, height: 64, fit: 'inside' })
    .jpeg({ quality: 50 })
    .toBuffer()
  return { thumbnail: small.toString('base64') }
}

/** Cameras write which side is up; without it the picture of a profile would lie on its side. */
async function square(file: SealedFile): Promise<Findings> {
  const picture = await (await open(file))
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

const ANSWERS: Record<Question['about'], (file: SealedFile) => Promise<Findings>> = { thumbnail, square, seconds }

async function answer({ about, ...file }: Question): Promise<void> {
  const answered = new AbortController()
  void watchMemory(answered.signal)
  const findings = await ANSWERS[about](file).catch((): Findings => ({}))
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
