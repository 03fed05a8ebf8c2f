import type { S3mini } from 's3mini'
import { makeId } from '../../domain/ids.ts'

/** Takes the encrypted pieces of a new file. */
export interface Sink {
  write(content: Buffer, piece: number): Promise<void>
  finish(): Promise<void>
  close(): Promise<void>
}

/** The encrypted pieces of a file, which are read one after the other. */
export interface Source {
  read(piece: number, bytes: number): Promise<Uint8Array>
  close(): Promise<void>
}

/** An S3-compatible storage of the operator's, for the bytes of files. */
export interface S3Settings {
  endpoint: string
  bucket: string
  region: string
  accessKeyId: string
  secretAccessKey: string
}

/** Parts of an upload have at least 5 MiB in every such storage, except the last; each is in memory while it is sent. */
const PART_BYTES = 5 * 1_048_576
const PREFIX = 'media/'
const TYPE = 'application/octet-stream'
/** How long the storage may take to answer, with the upload of a part. */
const ANSWER_MS = 60_000

/** The storage does not do what it should now. Like an error of the disk, so that both are reported in the same way. */
export class S3Failure extends Error {
  override name = 'S3Failure'
  readonly syscall = 's3'
  readonly code: string

  constructor(code: string, options?: ErrorOptions) {
    super(code, options)
    this.code = code
  }
}

/** Objects of one bucket. Their bytes are encrypted before they get here. */
export class S3Bucket {
  readonly #settings: S3Settings
  #client: Promise<S3mini> | undefined

  constructor(settings: S3Settings) {
    this.#settings = settings
  }

  /** Small files are one request; larger ones are uploaded in parts, of which one is in memory. */
  async create(id: string): Promise<Sink> {
    const key = keyOf(id)
    const client = await this.#connect()
    let held: Buffer[] = []
    let bytes = 0
    let uploadId: string | undefined
    const parts: Array<{ partNumber: number; etag: string }> = []
    const take = (): Buffer => {
      const part = Buffer.concat(held, bytes)
      held = []
      bytes = 0
      return part
    }
    const addPart = async (part: Buffer): Promise<void> => {
      uploadId ??= await attempt(() => client.getMultipartUploadId(key, TYPE))
      const { etag } = await attempt(() => client.uploadPart(key, uploadId!, part, parts.length + 1))
      parts.push({ partNumber: parts.length + 1, etag })
    }
    return {
      write: async content => {
        held.push(content)
        bytes += content.length
        if (bytes >= PART_BYTES) await addPart(take())
      },
      finish: async () => {
        if (uploadId === undefined) return void (await attempt(() => client.putObject(key, take(), TYPE)))
        if (bytes > 0) await addPart(take())
        await attempt(() => client.completeMultipartUpload(key, uploadId!, parts))
        uploadId = undefined
      },
      // What was uploaded of a file that is not finished costs money as well. If this fails, a rule of the bucket removes it.
      close: async () => {
        if (uploadId !== undefined) await client.abortMultipartUpload(key, uploadId).catch(() => {})
      },
    }
  }

  /** The bytes of an object from `start` up to `end`, in this order; `undefined` if it does not exist. */
  async open(id: string, { start, end }: { start: number; end: number }): Promise<Source | undefined> {
    const client = await this.#connect()
    const response = await attempt(() => client.getObjectRaw(keyOf(id), false, start, end)).catch((error: unknown) => {
      if (error instanceof S3Failure && error.code === 'NoSuchKey') return undefined
      throw error
    })
    if (response?.body == null) return undefined
    if (response.status !== 206) throw new S3Failure('NoRanges')
    const chunks = response.body.getReader()
    let rest = Buffer.alloc(0) as Buffer
    return {
      read: async (_piece, bytes) => {
        const taken = [rest]
        let length = rest.length
        while (length < bytes) {
          const { value, done } = await attempt(() => chunks.read())
          if (done) break
          taken.push(Buffer.from(value.buffer, value.byteOffset, value.byteLength))
          length += value.byteLength
        }
        const all = Buffer.concat(taken, length)
        rest = all.subarray(bytes)
        return all.subarray(0, bytes)
      },
      close: async () => {
        await chunks.cancel().catch(() => {})
      },
    }
  }

  async remove(id: string): Promise<void> {
    const client = await this.#connect()
    await attempt(() => client.deleteObject(keyOf(id))).catch((error: unknown) => {
      // Some storages say that there is nothing to delete.
      if (!(error instanceof S3Failure && error.code === 'NoSuchKey')) throw error
    })
  }

  /** Writes, reads and removes an object, as the gateway does. Throws `S3Failure`. */
  async probe(): Promise<void> {
    const id = makeId('med')
    const sink = await this.create(id)
    await sink.write(Buffer.from('postern'), 0)
    await sink.finish()
    const source = await this.open(id, { start: 0, end: 7 })
    const found = await source?.read(0, 7)
    await source?.close()
    await this.remove(id)
    if (Buffer.from(found ?? []).toString() !== 'postern') throw new S3Failure('WrongContent')
  }

  /** Loaded when it is used: most gateways have no such storage. */
  async #connect(): Promise<S3mini> {
    this.#client ??= import('s3mini').then(({ S3mini }) => {
      const { endpoint, bucket, ...rest } = this.#settings
      return new S3mini({ ...rest, endpoint: `${endpoint}/${bucket}`, fetch: fetchWithin })
    })
    return await this.#client
  }
}

const keyOf = (id: string): string => `${PREFIX}${id}`

async function attempt<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw new S3Failure(codeOf(error), { cause: error })
  }
}

/** The storage's own code, or that of the network. */
function codeOf(error: unknown): string {
  const { serviceCode, status, code, cause } = error as {
    serviceCode?: string
    status?: number
    code?: unknown
    cause?: unknown
  }
  if (serviceCode && serviceCode !== 'Unknown') return serviceCode
  if (status !== undefined) return status === 404 ? 'NoSuchKey' : `HTTP ${status}`
  if (cause !== undefined && cause !== null) return codeOf(cause)
  const { name, message } = error as Error
  // `fetch` connects to no port of other well-known services.
  if (message === 'bad port') return 'BadPort'
  return typeof code === 'string' ? code : name
}

/**
 * The deadline is that of the answer: its content takes as long as a customer takes to read it. `fetch` knows the length
 * itself, and a second one makes the header invalid.
 */
const fetchWithin: typeof fetch = async (input, init) => {
  const headers = new Headers(init?.headers)
  headers.delete('content-length')
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(new S3Failure('Timeout')), ANSWER_MS)
  try {
    return await fetch(input, { ...init, headers, redirect: 'error', signal: late.signal })
  } finally {
    clearTimeout(timer)
  }
}
