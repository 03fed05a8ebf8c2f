import { createHmac, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { until } from './until.ts'

/**
 * A stand-in for Chatwoot, made from the public description of its application API and webhooks: contacts,
 * conversations and messages of one inbox, files behind redirects, webhooks that are tried once. It cannot reveal
 * behaviour of the real Chatwoot that this description omits.
 */

// oxlint-disable-next-line typescript/no-explicit-any -- answers and bodies are read field by field
type Json = any

export interface KeptMessage {
  id: number
  conversation: number
  content: string
  type: 'incoming' | 'outgoing' | 'template'
  private: boolean
  source_id: string | null
  content_attributes: Json
  status: string
  created_at: string
  files: Array<{ name: string; type: string; bytes: Buffer }>
}

export interface Asked {
  method: string
  path: string
}

/**
 * A status instead of an answer, with a `page` if a proxy in front answers; `late`: the work is done, and the
 * connection dies before the answer.
 */
export type Fault = number | { status: number; retryAfter?: number; page?: string } | 'reset' | 'late' | undefined

export const CHATWOOT_TOKEN = 'chatwoot-token-0123456789'
const ACCOUNT = 3
const INBOX = 7
const TYPES = ['incoming', 'outgoing', 'activity', 'template']

export class StandInChatwoot {
  readonly contacts: Json[] = []
  readonly conversations: Array<{ id: number; contact: number; source_id: string }> = []
  readonly messages: KeptMessage[] = []
  readonly asked: Asked[] = []
  /** How the bridge answered each webhook. */
  readonly hooked: Array<{ event: string; status: number }> = []
  fault: (request: Asked) => Fault = () => undefined
  channelType = 'Channel::Api'
  webhookUrl = ''
  /** The secret that signs webhooks; `null`: an older version that signs nothing. */
  secret: string | null = 'inbox-secret-0123456789'
  /** The apparent location of the files of agents. */
  fileHost: string | null = null
  readonly #server = createServer((request, response) => void this.#serve(request, response))
  #id = 100

  static async start(): Promise<StandInChatwoot> {
    const chatwoot = new StandInChatwoot()
    await new Promise<void>(resolve => chatwoot.#server.listen(0, '127.0.0.1', resolve))
    return chatwoot
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** The settings that connect a bridge to this server. */
  get env(): Record<string, string> {
    return {
      CHATWOOT_URL: this.url,
      CHATWOOT_TOKEN,
      CHATWOOT_ACCOUNT: String(ACCOUNT),
      CHATWOOT_INBOX: String(INBOX),
    }
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
  }

  /** The conversation with this contact, by number or identifier. */
  conversationWith(who: string): number | undefined {
    const contact = this.contacts.find(each => each.phone_number === who || each.identifier === who)
    return this.conversations.find(each => each.contact === contact?.id)?.id
  }

  said(content: string): KeptMessage[] {
    return this.messages.filter(message => message.content === content)
  }

  async untilSaid(content: string): Promise<KeptMessage> {
    return await until(() => this.said(content)[0])
  }

  /** Lets an agent write in the dashboard; returns when the webhook was tried. */
  async agentWrites(
    conversation: number,
    content: string,
    more: Partial<Pick<KeptMessage, 'type' | 'private' | 'content_attributes' | 'files'>> = {},
  ): Promise<KeptMessage> {
    const kept = this.#keep({ conversation, content, ...more })
    await this.#hook('message_created', kept)
    return kept
  }

  /** Sends the same webhook again. */
  async hookAgain(message: KeptMessage): Promise<void> {
    await this.#hook('message_created', message)
  }

  /** Creates a contact and a conversation as an agent does. */
  beginConversation(contact: Json): number {
    const kept = { ...contact, id: this.#id++ }
    this.contacts.push(kept)
    const conversation = { id: this.#id++, contact: kept.id, source_id: randomUUID() }
    this.conversations.push(conversation)
    return conversation.id
  }

  #keep(message: Partial<KeptMessage> & { conversation: number; content: string }): KeptMessage {
    const base = {
      type: 'outgoing',
      private: false,
      source_id: null,
      content_attributes: {},
      status: 'sent',
      created_at: new Date().toISOString(),
      files: [],
    }
    const kept = { ...base, ...message, id: this.#id++ } as KeptMessage
    const attributes = kept.content_attributes
    const about = this.messages.find(
      each =>
        each.conversation === kept.conversation &&
        (attributes.in_reply_to
          ? each.id === attributes.in_reply_to
          : attributes.in_reply_to_external_id !== undefined) &&
        (attributes.in_reply_to || each.source_id === attributes.in_reply_to_external_id),
    )
    if (attributes.in_reply_to || attributes.in_reply_to_external_id)
      kept.content_attributes = {
        ...attributes,
        in_reply_to: about?.id ?? null,
        in_reply_to_external_id: about?.source_id ?? null,
      }
    this.messages.push(kept)
    return kept
  }

  async #hook(event: string, message: KeptMessage): Promise<void> {
    if (this.webhookUrl === '') return
    const body = JSON.stringify({ event, ...this.#payload(message) })
    const time = String(Math.floor(Date.now() / 1_000))
    const signature = this.secret && createHmac('sha256', this.secret).update(`${time}.${body}`).digest('hex')
    const headers = {
      'content-type': 'application/json',
      ...(signature && { 'x-chatwoot-timestamp': time, 'x-chatwoot-signature': `sha256=${signature}` }),
    }
    const signal = AbortSignal.timeout(5_000)
    const answer = await fetch(this.webhookUrl, { method: 'POST', headers, body, signal }).catch(() => undefined)
    this.hooked.push({ event, status: answer?.status ?? 0 })
    if (answer?.ok !== true) message.status = 'failed'
  }

  #payload(message: KeptMessage): Json {
    const conversation = this.conversations.find(each => each.id === message.conversation)!
    const contact = this.contacts.find(each => each.id === conversation.contact)
    return {
      account: { id: ACCOUNT, name: 'Acme' },
      inbox: { id: INBOX, name: 'WhatsApp' },
      id: message.id,
      content: message.content,
      content_type: 'text',
      content_attributes: message.content_attributes,
      message_type: message.type,
      private: message.private,
      source_id: message.source_id,
      created_at: message.created_at,
      conversation: { id: conversation.id, inbox_id: INBOX, meta: { sender: contact } },
      ...(message.files.length > 0 && {
        attachments: message.files.map((file, at) => this.#shownFile(message, file, at)),
      }),
    }
  }

  #shownFile({ id }: KeptMessage, { name, type }: KeptMessage['files'][number], at: number): Json {
    const path = `/rails/active_storage/blobs/redirect/${id}-${at}/${encodeURIComponent(name)}`
    const kind = type.split('/')[0]!
    return {
      id: id * 100 + at,
      file_type: ['image', 'audio', 'video'].includes(kind) ? kind : 'file',
      data_url: `${this.fileHost ?? this.url}${path}`,
    }
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const url = new URL(request.url!, this.url)
    const asked = { method: request.method!, path: url.pathname }
    this.asked.push(asked)
    const fault = this.fault(asked)
    if (fault === 'reset') return void response.destroy()
    if (fault !== undefined && fault !== 'late') return refuse(response, fault)
    const { status, body, headers } = await this.#answer(asked, url, request, Buffer.concat(chunks))
    if (fault === 'late') return void response.destroy()
    const isBytes = Buffer.isBuffer(body)
    response.writeHead(status, { ...(isBytes ? {} : { 'content-type': 'application/json' }), ...headers })
    response.end(isBytes ? body : JSON.stringify(body ?? {}))
  }

  async #answer({ method, path }: Asked, url: URL, request: IncomingMessage, bytes: Buffer): Promise<Reply> {
    const file = /^\/rails\/active_storage\/(blobs\/redirect|disk)\/(\d+)-(\d+)\//.exec(path)
    if (file !== null) return this.#file(file[1]!, Number(file[2]), Number(file[3]), path)
    if (request.headers['api-access-token'] !== CHATWOOT_TOKEN)
      return { status: 401, body: { error: 'Invalid Access Token' } }
    const [, rest] = /^\/api\/v1\/accounts\/3(\/.*)$/.exec(path) ?? []
    if (rest === undefined) return { status: 401, body: { error: 'You are not authorized to access this account' } }
    const body = await bodyOf(request, bytes)
    for (const [name, pattern, work] of this.#routes(url)) {
      const match = pattern.exec(rest)
      if (name === method && match !== null) return work(body, Number(match[1]), Number(match[2]))
    }
    return { status: 404, body: { error: 'Resource could not be found' } }
  }

  #routes(url: URL): Array<[string, RegExp, (body: Json, one: number, two: number) => Reply]> {
    return [
      ['GET', /^\/inboxes\/(\d+)$/, (_, id) => this.#inbox(id)],
      ['PATCH', /^\/inboxes\/(\d+)$/, (body, id) => ((this.webhookUrl = body.channel.webhook_url), this.#inbox(id))],
      ['GET', /^\/contacts\/search$/, () => this.#search(url.searchParams.get('q') ?? '')],
      ['POST', /^\/contacts$/, body => this.#addContact(body)],
      ['GET', /^\/contacts\/(\d+)\/conversations$/, (_, id) => this.#conversationsOf(id)],
      ['POST', /^\/conversations$/, body => this.#addConversation(body)],
      ['GET', /^\/conversations\/(\d+)\/messages$/, (_, id) => this.#after(id, Number(url.searchParams.get('after')))],
      ['POST', /^\/conversations\/(\d+)\/messages$/, (body, id) => this.#addMessage(body, id)],
      ['PATCH', /^\/conversations\/(\d+)\/messages\/(\d+)$/, (body, _, id) => this.#setStatus(body, id)],
    ]
  }

  #inbox(id: number): Reply {
    if (id !== INBOX) return { status: 404, body: { error: 'Resource could not be found' } }
    return {
      status: 200,
      body: { id, channel_type: this.channelType, webhook_url: this.webhookUrl, secret: this.secret },
    }
  }

  #search(words: string): Reply {
    const has = (value: unknown) => typeof value === 'string' && value.includes(words)
    const payload = this.contacts.filter(({ name, phone_number, identifier }) =>
      [name, phone_number, identifier].some(has),
    )
    return { status: 200, body: { meta: {}, payload: payload.slice(0, 15) } }
  }

  #addContact(body: Json): Reply {
    const taken = this.contacts.some(
      each =>
        (body.phone_number && each.phone_number === body.phone_number) ||
        (body.identifier && each.identifier === body.identifier),
    )
    if (taken)
      return { status: 422, body: { message: 'Phone number has already been taken', attributes: ['phone_number'] } }
    if (body.phone_number && !/^\+[1-9]\d{1,14}$/.test(body.phone_number))
      return { status: 422, body: { message: 'Phone number should be in e164 format', attributes: ['phone_number'] } }
    const { name, phone_number = null, identifier = null } = body
    const contact = { id: this.#id++, name, phone_number, identifier }
    this.contacts.push(contact)
    return { status: 200, body: { payload: { contact, contact_inbox: { source_id: body.source_id } } } }
  }

  #conversationsOf(contact: number): Reply {
    const found = this.conversations.filter(each => each.contact === contact).reverse()
    return { status: 200, body: { payload: found.map(({ id }) => ({ id, inbox_id: INBOX })) } }
  }

  #addConversation(body: Json): Reply {
    if (!this.contacts.some(each => each.id === body.contact_id)) return { status: 404, body: {} }
    const conversation = { id: this.#id++, contact: body.contact_id, source_id: body.source_id ?? randomUUID() }
    this.conversations.push(conversation)
    return { status: 200, body: { id: conversation.id, inbox_id: INBOX } }
  }

  #after(conversation: number, after: number): Reply {
    const found = this.messages.filter(each => each.conversation === conversation && each.id > after).slice(0, 100)
    return { status: 200, body: { meta: {}, payload: found.map(shown) } }
  }

  #addMessage(body: Json, conversation: number): Reply {
    if (!this.conversations.some(each => each.id === conversation))
      return { status: 404, body: { error: 'Resource could not be found' } }
    const kept = this.#keep({
      conversation,
      content: body.content,
      type: body.message_type,
      private: String(body.private) === 'true',
      source_id: body.source_id ?? null,
      content_attributes:
        typeof body.content_attributes === 'string' ? JSON.parse(body.content_attributes) : body.content_attributes,
      files: body.files ?? [],
    })
    void this.#hook('message_created', kept)
    return { status: 200, body: shown(kept) }
  }

  #setStatus(body: Json, id: number): Reply {
    const message = this.messages.find(each => each.id === id)
    if (message === undefined) return { status: 404, body: { error: 'Resource could not be found' } }
    if (!(message.status === 'read' && body.status === 'delivered')) message.status = body.status
    if (body.external_error !== undefined)
      message.content_attributes = { ...message.content_attributes, external_error: body.external_error }
    void this.#hook('message_updated', message)
    return { status: 200, body: shown(message) }
  }

  /** The address of a file redirects to its location. */
  #file(kind: string, id: number, at: number, path: string): Reply {
    const file = this.messages.find(each => each.id === id)?.files[at]
    if (file === undefined) return { status: 404, body: {} }
    if (kind === 'disk') return { status: 200, body: file.bytes, headers: { 'content-type': file.type } }
    return {
      status: 302,
      body: {},
      headers: { location: `${this.fileHost ?? this.url}${path.replace('blobs/redirect', 'disk')}` },
    }
  }
}

interface Reply {
  status: number
  body?: Json
  headers?: Record<string, string>
}

function shown(message: KeptMessage): Json {
  const { id, content, private: isPrivate, source_id, content_attributes, status } = message
  const type = TYPES.indexOf(message.type)
  const more = { conversation_id: message.conversation, message_type: type, private: isPrivate }
  return { id, content, source_id, content_attributes, status, ...more }
}

function refuse(response: ServerResponse, fault: Exclude<Fault, string | undefined>): void {
  const { status, retryAfter, page } = typeof fault === 'number' ? { status: fault } : fault
  if (page !== undefined) return void response.writeHead(status, { 'content-type': 'text/html' }).end(page)
  const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end('{"error":"as it was told to"}')
}

async function bodyOf(request: IncomingMessage, bytes: Buffer): Promise<Json> {
  const type = request.headers['content-type'] ?? ''
  if (!type.startsWith('multipart/')) return bytes.length === 0 ? {} : JSON.parse(bytes.toString())
  const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }).formData()
  const files: KeptMessage['files'] = []
  const fields: Json = {}
  for (const [name, value] of form) {
    if (typeof value === 'string') fields[name] = value
    else files.push({ name: value.name, type: value.type, bytes: Buffer.from(await value.arrayBuffer()) })
  }
  return { ...fields, files }
}
