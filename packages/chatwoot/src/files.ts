const MAX_REDIRECTS = 5
const MAX_BYTES = 64 * 1_048_576
/** Up to the last byte; as long as the gateway waits. */
const TIMEOUT_MS = 60_000

export interface OpenedFile {
  mimetype: string
  body: ReadableStream<Uint8Array>
}

/** A file cannot be fetched. */
export class FileUnavailable extends Error {
  override name = 'FileUnavailable'
  /** A later attempt may succeed. */
  readonly isTemporary: boolean

  constructor(why: string, isTemporary = false) {
    super(why)
    this.isTemporary = isTemporary
  }
}

/**
 * Opens a file of Chatwoot. Its URLs redirect to the storage. The bridge follows redirects only to hosts of the
 * settings, and sends no credentials.
 */
export async function openFile(url: string, hosts: ReadonlySet<string>): Promise<OpenedFile> {
  let at = url
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    if (!isAllowed(at, hosts)) throw new FileUnavailable('the file is at a host that is not named (--files-host)')
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const response = await fetch(at, { redirect: 'manual', signal }).catch(() => undefined)
    if (response === undefined) throw new FileUnavailable('Chatwoot does not answer', true)
    const next = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null
    if (next === null) return bodyOf(response)
    await response.body?.cancel()
    at = URL.canParse(next, at) ? new URL(next, at).href : ''
  }
  throw new FileUnavailable('the address of the file leads in circles')
}

export function isAllowed(url: string, hosts: ReadonlySet<string>): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, host, username } = new URL(url)
  return /^https?:$/.test(protocol) && username === '' && hosts.has(host)
}

async function bodyOf(response: Response): Promise<OpenedFile> {
  if (!response.ok || response.body === null) {
    await response.body?.cancel()
    throw new FileUnavailable(
      `Chatwoot answered ${response.status} for the file`,
      response.status >= 500 || response.status === 429,
    )
  }
  const mimetype = response.headers.get('content-type') ?? 'application/octet-stream'
  return { mimetype, body: response.body }
}

/** The bytes of the file, up to the limit of the gateway. */
export async function* bytesOf({ body }: OpenedFile): AsyncGenerator<Uint8Array> {
  let seen = 0
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    seen += chunk.length
    if (seen > MAX_BYTES) throw new FileUnavailable('the file is larger than 64 MB')
    yield chunk
  }
}
