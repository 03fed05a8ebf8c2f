import { createReadStream } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Readable } from 'node:stream'

/** Encrypted files that are too large for memory, in a folder that whoever starts the simulator has made and removes. */
export class LargeFiles {
  readonly #folder: string
  readonly #bytes = new Map<string, number>()

  constructor(folder: string) {
    this.#folder = folder
  }

  /** A new file; it can be read under a path once `keep` has named that. */
  async create(): Promise<LargeFile> {
    const name = join(this.#folder, `arriving-${process.hrtime.bigint()}`)
    return new LargeFile(name, await open(name, 'wx', 0o600), (path, bytes) => {
      this.#bytes.set(path, bytes)
      return this.#fileOf(path)
    })
  }

  /** The size of the file at a path of the media servers; `undefined` if there is none. */
  bytesOf(path: string): number | undefined {
    return this.#bytes.get(path)
  }

  read(path: string, { start, end }: { readonly start?: number; readonly end?: number } = {}): Readable {
    return createReadStream(this.#fileOf(path), {
      ...(start === undefined ? {} : { start }),
      ...(end === undefined ? {} : { end }),
    })
  }

  #fileOf(path: string): string {
    return join(this.#folder, basename(path))
  }
}

/** A large file while it is written. */
export class LargeFile {
  readonly #name: string
  readonly #handle: FileHandle
  readonly #nameFor: (path: string, bytes: number) => string
  #bytes = 0

  constructor(name: string, handle: FileHandle, nameFor: (path: string, bytes: number) => string) {
    this.#name = name
    this.#handle = handle
    this.#nameFor = nameFor
  }

  async add(chunk: Uint8Array): Promise<void> {
    await this.#handle.writeFile(chunk)
    this.#bytes += chunk.length
  }

  /** The file is complete and has this path. */
  async keep(path: string): Promise<void> {
    await this.#handle.close()
    await rename(this.#name, this.#nameFor(path, this.#bytes))
  }

  async discard(): Promise<void> {
    await this.#handle.close()
    await rm(this.#name, { force: true })
  }
}
