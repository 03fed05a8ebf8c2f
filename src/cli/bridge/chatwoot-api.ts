import { getOwn } from '../../runtime/get-own.ts'
import { idIn } from './id-in.ts'
import { storable } from './storable.ts'

/** A file that goes along with a message. */
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

type Json = Record<string, unknown>

/** Chatwoot's answer was a no; `status` 0: there was none. What it says is for people alone. */
export class ChatwootRefusal extends Error {
  override name = 'ChatwootRefusal'
  readonly status: number
  readonly retryAfterMs: number | null
  /** What was asked for may have been done all the same. */
  readonly isUnknown: boolean
  /** Chatwoot itself has said it, as it does: what stands before it answers otherwise. */
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

  /** Chatwoot does not know what was asked for. */
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
    return idOf(((payload && getOwn(payload, 'contact')) ?? payload ?? {}) as Json)
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

  /** Those after a message, oldest first: a hundred at most. */
  async messagesAfter(conversation: number, after: number): Promise<Json[]> {
    return listOf((await this.#call('GET', `/conversations/${conversation}/messages?after=${after}`))['payload'])
  }

  async setStatus(conversation: number, message: number, status: string, error: string | null): Promise<void> {
    const body = { status, ...(error === null ? {} : { external_error: error }) }
    await this.#call('PATCH', `/conversations/${conversation}/messages/${message}`, body)
  }

  async #call(method: string, path: string, body?: Json | FormData): Promise<Json> {
    const isForm = body instanceof FormData
    // With dashes: to Chatwoot it is the same as with the documented underscores, which proxies like to drop.
    const headers = { 'api-access-token': this.#token, ...(body && !isForm && { 'content-type': 'application/json' }) }
    const sent = body === undefined ? {} : { body: isForm ? body : asText(body) }
    try {
      const signal = AbortSignal.timeout(this.#timeoutMs)
      const answer = await fetch(this.#base + path, { method, headers, ...sent, redirect: 'manual', signal })
      const json = jsonIn(await answer.text())
      if (answer.ok && json !== undefined) return json
      throw answer.ok ? notChatwoot('its answer is no JSON') : refusalOf(answer, json ?? {})
    } catch (error) {
      throw error instanceof ChatwootRefusal ? error : noAnswer(error)
    }
  }
}

/** Nothing where it says nothing; `undefined`: a page of something else. */
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

function refusalOf(answer: Response, json: Json): ChatwootRefusal {
  const { status } = answer
  const said = getOwn(json, 'error') ?? getOwn(json, 'message')
  const seconds = Number(answer.headers.get('retry-after') ?? NaN)
  return new ChatwootRefusal(status, typeof said === 'string' ? said.slice(0, 200) : `it answered ${status}`, {
    retryAfterMs: Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), 3_600) * 1_000 : null,
    // An error of Rails may come after the commit; a proxy gives up while the work goes on.
    isUnknown: status >= 500 && status !== 503,
    isItsOwn: isItsOwn(status, json),
  })
}

/** Gateways of APIs answer 404 with a `message` for what they have no way to. */
const isItsOwn = (status: number, json: Json): boolean =>
  (status === 404 ? ['error'] : ['error', 'errors', 'message']).some(name => getOwn(json, name) !== undefined)

function noAnswer(error: unknown): ChatwootRefusal {
  const { name, cause } = error as Error & { cause?: { code?: string } }
  const code = name === 'TimeoutError' ? 'no answer in time' : (cause?.code ?? 'the connection failed')
  const isUntold = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'].includes(code)
  return new ChatwootRefusal(0, code, { isUnknown: !isUntold })
}

/** An answer that Chatwoot does not give: what was asked for may have been done. */
const notChatwoot = (why: string): ChatwootRefusal => new ChatwootRefusal(502, why, { isUnknown: true })

function listOf(value: unknown): Json[] {
  if (Array.isArray(value)) return value as Json[]
  throw notChatwoot('its answer has no list')
}

function idOf(json: Json): number {
  const id = idIn(json, 'id')
  if (id !== null) return id
  throw notChatwoot('its answer has no id')
}
