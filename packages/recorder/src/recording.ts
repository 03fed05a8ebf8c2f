import { appendFile, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** The limits of a recording: bytes per file and files per number. */
export interface Bounds {
  fileBytes: number
  files: number
  /** Bytes that may wait to be written. Further lines are dropped and counted. */
  waitingBytes: number
}

export const BOUNDS: Bounds = { fileBytes: 8_000_000, files: 4, waitingBytes: 2_000_000 }

const WRITE_AFTER_MS = 250
const EXTENSION = '.jsonl'

/** The lines of one number or one pairing, in files that rotate when they are full. `add` never waits for the disk. */
export class Recording {
  readonly #folder: string
  readonly #name: string
  readonly #head: () => object
  readonly #bounds: Bounds
  #lines: string[] = []
  #waitingBytes = 0
  #leftOut = 0
  #file = 1
  #fileBytes = 0
  #timer: NodeJS.Timeout | undefined
  #writing = Promise.resolve()

  constructor(folder: string, name: string, head: () => object, bounds: Bounds = BOUNDS) {
    this.#folder = folder
    this.#name = name
    this.#head = head
    this.#bounds = bounds
  }

  get path(): string {
    return join(this.#folder, `${this.#name}-${String(this.#file).padStart(4, '0')}${EXTENSION}`)
  }

  add(line: object): void {
    const text = `${JSON.stringify(line)}\n`
    if (this.#waitingBytes + text.length > this.#bounds.waitingBytes) {
      this.#leftOut += 1
      return
    }
    this.#lines.push(text)
    this.#waitingBytes += text.length
    this.#timer ??= setTimeout(() => void this.flush(), WRITE_AFTER_MS)
  }

  /** Resolves when all lines so far are written, or when writing them has failed. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const lines = this.#lines
    this.#lines = []
    this.#waitingBytes = 0
    if (this.#leftOut > 0) lines.push(`${JSON.stringify({ leftOut: this.#leftOut })}\n`)
    this.#leftOut = 0
    // A full disk must not stop a number: lines that cannot be written are dropped.
    if (lines.length > 0) this.#writing = this.#writing.then(() => this.#write(lines)).catch(() => {})
    return this.#writing
  }

  async #write(lines: string[]): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    let text = this.#fileBytes === 0 ? this.#headLine() : ''
    for (const line of lines) {
      text += line
      if (this.#fileBytes + text.length < this.#bounds.fileBytes) continue
      await this.#append(text)
      await this.#rotate()
      text = this.#headLine()
    }
    await this.#append(text)
  }

  async #append(text: string): Promise<void> {
    this.#fileBytes += text.length
    await appendFile(this.path, text, { mode: 0o600 })
  }

  async #rotate(): Promise<void> {
    this.#file += 1
    this.#fileBytes = 0
    const dropped = this.#file - this.#bounds.files
    if (dropped > 0) await rm(this.path.replace(/\d+\.jsonl$/, `${String(dropped).padStart(4, '0')}${EXTENSION}`))
  }

  #headLine(): string {
    return `${JSON.stringify({ ...this.#head(), file: this.#file })}\n`
  }
}

/** The names that `Recorder` gives: the time, the network, a random mark and the number of the file. */
const OWN_NAME = /^\d{8}T\d{6}-\w+-[0-9a-f]{8}-\d{4,}\.jsonl$/

/** Removes the oldest recordings, so that the folder does not grow without a limit. Other files of the folder stay. */
export async function removeOldRecordings(folder: string, max: number): Promise<void> {
  const names = (await readdir(folder).catch(() => [])).filter(name => OWN_NAME.test(name)).sort()
  await Promise.all(names.slice(0, Math.max(0, names.length - max)).map(name => rm(join(folder, name))))
}
