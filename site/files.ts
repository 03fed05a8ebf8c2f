import { hash } from 'node:crypto'
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

/** Smaller files fit into one packet without compression. */
const LEAST_BYTES = 1_000
/** A few percent larger than the best level, in a tenth of its time: a start from the sources waits for it. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }

/** The output folder of the site; text files are also written compressed, with gzip and brotli. */
export class Output {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
  }

  write(name: string, content: string): void {
    const bytes = Buffer.from(content)
    const path = join(this.#folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, bytes)
    if (bytes.length < LEAST_BYTES) return
    writeFileSync(`${path}.br`, brotliCompressSync(bytes, BROTLI))
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }))
  }

  /** Writes a file under a name with its hash, so that browsers can cache it permanently; returns its address. */
  asset(name: string, content: string): string {
    const [, stem, extension] = /^(.*)\.(\w+)$/.exec(name)!
    const hashed = `assets/${stem}-${hash('sha256', content, 'hex').slice(0, 10)}.${extension}`
    this.write(hashed, content)
    return `/docs/${hashed}`
  }

  copy(from: string, name: string): string {
    mkdirSync(dirname(join(this.#folder, name)), { recursive: true })
    cpSync(from, join(this.#folder, name), { recursive: true })
    return `/docs/${name}`
  }
}
