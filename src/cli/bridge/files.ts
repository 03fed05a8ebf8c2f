const MOST_REDIRECTS = 5
const MOST_BYTES = 64 * 1_048_576
/** To the last byte: as long as the gateway gives it. */
const TIMEOUT_MS = 60_000

export interface OpenedFile {
  mimetype: string
  body: ReadableStream<Uint8Array>
}

/** A file cannot be had. */
export class NoFile extends Error {
  override name = 'NoFile'
  /** It may be had later. */
  readonly isPassing: boolean

  constructor(why: string, isPassing = false) {
    super(why)
    this.isPassing = isPassing
  }
}

/**
 * Opens a file of Chatwoot. Its addresses lead on to where the file lies; they are followed to the hosts that were
 * named and to no other, and nothing of ours goes along.
 */
export async function openFile(url: string, hosts: ReadonlySet<string>): Promise<OpenedFile> {
  let at = url
  for (let hops = 0; hops <= MOST_REDIRECTS; hops++) {
    if (!isAllowed(at, hosts)) throw new NoFile('the file is at a host that is not named (--files-host)')
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const answer = await fetch(at, { redirect: 'manual', signal }).catch(() => undefined)
    if (answer === undefined) throw new NoFile('Chatwoot does not answer', true)
    const next = answer.status >= 300 && answer.status < 400 ? answer.headers.get('location') : null
    if (next === null) return bodyOf(answer)
    await answer.body?.cancel()
    at = URL.canParse(next, at) ? new URL(next, at).href : ''
  }
  throw new NoFile('the address of the file leads in circles')
}

export function isAllowed(url: string, hosts: ReadonlySet<string>): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, host, username } = new URL(url)
  return /^https?:$/.test(protocol) && username === '' && hosts.has(host)
}

async function bodyOf(answer: Response): Promise<OpenedFile> {
  if (!answer.ok || answer.body === null) {
    await answer.body?.cancel()
    throw new NoFile(`Chatwoot answered ${answer.status} for the file`, answer.status >= 500 || answer.status === 429)
  }
  const mimetype = answer.headers.get('content-type') ?? 'application/octet-stream'
  return { mimetype, body: answer.body }
}

/** Its bytes, as long as they are not more than the gateway sends. */
export async function* bytesOf({ body }: OpenedFile): AsyncGenerator<Uint8Array> {
  let seen = 0
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    seen += chunk.length
    if (seen > MOST_BYTES) throw new NoFile('the file is larger than 64 MB')
    yield chunk
  }
}
