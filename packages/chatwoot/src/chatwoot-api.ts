import { field, idIn, type Json } from './json.ts'

/** A file that is attached to a message. */
export interface Upload {
  bytes: Buffer
  filename: string
  mimetype: string
}

export interface NewMessage {
  content: string
  type: 'incoming' | 'outgoing'
  isPrivate: boolean
  sourceId: string
  attributes: Record<string, unknown>
  upload?: Upload | undefined
}

/** Chatwoot rejected a request; `status` 0: it did not respond. The message is only for people. */
export class ChatwootError extends Error {
  override name = 'ChatwootError'
  readonly status: number
  readonly retryAfterMs: number | null
  /** The request may have taken effect all the same. */
  readonly isUnknown: boolean
  /** Chatwoot itself responded, in its own format, and not a proxy in front of it. */
  readonly isItsOwn: boolean

  constructor(
    status: number,
    message: string,
    { retryAfterMs = null as number | null, isUnknown = false, isItsOwn = false } = {},
  ) {
    super(message)
    this.status = status
    this.retryAfterMs = retryAfterMs
    this.isUnknown = isUnknown
    this.isItsOwn = isItsOwn
  }

  /** Chatwoot does not have the requested object. */
  get isGone(): boolean {
    return this.status === 404 && this.isItsOwn
  }
}

/** The calls of Chatwoot's application API that a bridge needs, for one account. */
export class ChatwootApi {
  readonly #base: string
  readonly #token: string
  readonly #timeoutMs: number

  constructor({
    origin,
    account,
    token,
    timeoutMs,
  }: { origin: string; account: number; token: string; timeoutMs: number }) {
    this.#base = `${origin}/api/v1/accounts/${account}`
    this.#token = token
    this.#timeoutMs = timeoutMs
  }

  async inbox(id: number): Promise<Json> {
    return await this.#call('GET', `/inboxes/${id}`)
  }

  async setWebhook(inbox: number, url: string): Promise<void> {
    await this.#call('PATCH', `/inboxes/${inbox}`, { channel: { webhook_url: url } })
  }

  async searchContacts(words: string): Promise<Json[]> {
    return listOf((await this.#call('GET', `/contacts/search?q=${encodeURIComponent(words)}`))['payload'])
  }

  async createContact(contact: Json): Promise<number> {
    const { payload } = (await this.#call('POST', '/contacts', contact)) as { payload?: Json }
    return idOf(((payload && field(payload, 'contact')) ?? payload ?? {}) as Json)
  }

  async conversationsOf(contact: number): Promise<Json[]> {
    return listOf((await this.#call('GET', `/contacts/${contact}/conversations`))['payload'])
  }

  async createConversation(conversation: Json): Promise<number> {
    return idOf(await this.#call('POST', '/conversations', conversation))
  }

  async createMessage(conversation: number, message: NewMessage): Promise<number> {
    const path = `/conversations/${conversation}/messages`
    return idOf(await this.#call('POST', path, message.upload === undefined ? asJson(message) : asForm(message)))
  }

  /** Up to a hundred messages after this one, oldest first. */
  async messagesAfter(conversation: number, after: number): Promise<Json[]> {
    return listOf((await this.#call('GET', `/conversations/${conversation}/messages?after=${after}`))['payload'])
  }

  async setStatus(conversation: number, message: number, status: string, error: string | null): Promise<void> {
    const body = { status, ...(error === null ? {} : { external_error: error }) }
    await this.#call('PATCH', `/conversations/${conversation}/messages/${message}`, body)
  }

  async #call(method: string, path: string, body?: Json | FormData): Promise<Json> {
    const isForm = body instanceof FormData
    // Chatwoot accepts dashes for the documented underscores, which some proxies drop.
    const headers = { 'api-access-token': this.#token, ...(body && !isForm && { 'content-type': 'application/json' }) }
    const sent = body === undefined ? {} : { body: isForm ? body : asText(body) }
    try {
      const signal = AbortSignal.timeout(this.#timeoutMs)
      const response = await fetch(this.#base + path, { method, headers, ...sent, redirect: 'manual', signal })
      const json = jsonIn(await response.text())
      if (response.ok && json !== undefined) return json
      throw response.ok ? notChatwoot('its answer is no JSON') : errorOf(response, json ?? {})
    } catch (error) {
      throw error instanceof ChatwootError ? error : noResponse(error)
    }
  }
}

/** Empty for an empty body; `undefined` if the body is not JSON. */
function jsonIn(text: string): Json | undefined {
  try {
    const json: unknown = text === '' ? {} : JSON.parse(text)
    return typeof json === 'object' && json !== null ? (json as Json) : undefined
  } catch {
    return undefined
  }
}

const asText = (body: Json): string =>
  JSON.stringify(body, (_, value: unknown) => (typeof value === 'string' ? storable(value) : value))

const asJson = ({ content, type, isPrivate, sourceId, attributes }: NewMessage): Json => ({
  content,
  message_type: type,
  private: isPrivate,
  source_id: sourceId,
  content_attributes: attributes,
})

function asForm(message: NewMessage): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(asJson(message)))
    form.set(name, typeof value === 'object' ? asText(value as Json) : storable(String(value)))
  const { bytes, filename, mimetype } = message.upload!
  form.set('attachments[]', new Blob([new Uint8Array(bytes)], { type: mimetype }), storable(filename))
  return form
}

function errorOf(response: Response, json: Json): ChatwootError {
  const { status } = response
  const said = field(json, 'error') ?? field(json, 'message')
  const seconds = Number(response.headers.get('retry-after') ?? NaN)
  return new ChatwootError(status, typeof said === 'string' ? said.slice(0, 200) : `it answered ${status}`, {
    retryAfterMs: Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), 3_600) * 1_000 : null,
    // Rails may fail after the commit, and a proxy may time out while Chatwoot continues.
    isUnknown: status >= 500 && status !== 503,
    isItsOwn: isItsOwn(status, json),
  })
}

/** API gateways respond 404 with a `message` to a path that they do not know. */
const isItsOwn = (status: number, json: Json): boolean =>
  (status === 404 ? ['error'] : ['error', 'errors', 'message']).some(name => field(json, name) !== undefined)

function noResponse(error: unknown): ChatwootError {
  const { name, cause } = error as Error & { cause?: { code?: string } }
  const code = name === 'TimeoutError' ? 'no answer in time' : (cause?.code ?? 'the connection failed')
  const isUnsent = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'].includes(code)
  return new ChatwootError(0, code, { isUnknown: !isUnsent })
}

/** A response that Chatwoot does not send. The request may have taken effect. */
const notChatwoot = (why: string): ChatwootError => new ChatwootError(502, why, { isUnknown: true })

function listOf(value: unknown): Json[] {
  if (Array.isArray(value)) return value as Json[]
  throw notChatwoot('its answer has no list')
}

function idOf(json: Json): number {
  const id = idIn(json, 'id')
  if (id !== null) return id
  throw notChatwoot('its answer has no id')
}

/** Text that a database accepts: no control characters except tab and newline, and no half of a character. */
export const storable = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be in it
  text.toWellFormed().replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '')
