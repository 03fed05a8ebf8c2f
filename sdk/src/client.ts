import { keyCalls, requestCalls } from './account-calls.ts'
import { Api, type CallOptions, type Query } from './api.ts'
import { catalogCalls } from './catalog-calls.ts'
import { channelCalls } from './channel-calls.ts'
import { chatCalls } from './chat-calls.ts'
import { contactCalls } from './contact-calls.ts'
import { groupCalls } from './group-calls.ts'
import { listen, type ListenedEvent, listenerCalls, type ListenOptions } from './listen.ts'
import { mediaCalls } from './media-calls.ts'
import { messageCalls, type SendOptions } from './message-calls.ts'
import { peopleCalls } from './people-calls.ts'
import { pairingCalls, sessionCalls } from './number-calls.ts'
import { checkApiKey, checkOptions, type ConnectionOptions, fromEnvironment } from './options.ts'
import type { MessageDetail, OutgoingMessage, QueuedMessage } from './resources.ts'
import { pull, type PulledEvent, type PullOptions } from './pull.ts'
import { sandboxCalls } from './sandbox-calls.ts'
import { Transport } from './transport.ts'
import { deliveryCalls, endpointCalls, webhookCalls } from './webhook-calls.ts'

export interface PosternClientOptions extends ConnectionOptions {
  /** Secret: use it on servers only. Defaults to the environment variable POSTERN_API_KEY. */
  readonly apiKey?: string
}

/** A typed client of the HTTP API. A call that the gateway rejects throws a PosternError. */
export class PosternClient {
  readonly keys: ReturnType<typeof keyCalls>
  readonly requests: ReturnType<typeof requestCalls>
  readonly messages: ReturnType<typeof messageCalls>
  readonly media: ReturnType<typeof mediaCalls>
  readonly sessions: ReturnType<typeof sessionCalls>
  readonly contacts: ReturnType<typeof contactCalls>
  readonly chats: ReturnType<typeof chatCalls>
  readonly catalog: ReturnType<typeof catalogCalls>
  readonly people: ReturnType<typeof peopleCalls>
  readonly groups: ReturnType<typeof groupCalls>
  readonly channels: ReturnType<typeof channelCalls>
  readonly pairings: ReturnType<typeof pairingCalls>
  readonly webhooks: ReturnType<typeof webhookCalls>
  readonly endpoints: ReturnType<typeof endpointCalls>
  readonly deliveries: ReturnType<typeof deliveryCalls>
  readonly listeners: ReturnType<typeof listenerCalls>
  readonly sandbox: ReturnType<typeof sandboxCalls>
  readonly #api: Api

  constructor(options: PosternClientOptions = {}) {
    const apiKey = options.apiKey ?? fromEnvironment('POSTERN_API_KEY')
    checkApiKey(apiKey)
    this.#api = new Api(new Transport(checkOptions(options, { name: 'apiKey', token: apiKey })))
    this.keys = keyCalls(this.#api)
    this.requests = requestCalls(this.#api)
    this.messages = messageCalls(this.#api)
    this.media = mediaCalls(this.#api)
    this.sessions = sessionCalls(this.#api)
    this.contacts = contactCalls(this.#api)
    this.chats = chatCalls(this.#api)
    this.catalog = catalogCalls(this.#api)
    this.people = peopleCalls(this.#api)
    this.groups = groupCalls(this.#api)
    this.channels = channelCalls(this.#api)
    this.pairings = pairingCalls(this.#api)
    this.webhooks = webhookCalls(this.#api)
    this.endpoints = endpointCalls(this.#api)
    this.deliveries = deliveryCalls(this.#api)
    this.listeners = listenerCalls(this.#api)
    this.sandbox = sandboxCalls(this.#api)
  }

  /** The account, the key of this client, its limits and its usage. */
  me(options: CallOptions = {}) {
    return this.#api.call('get', '/v1/me', options)
  }

  terms(options: CallOptions = {}) {
    return this.#api.call('get', '/v1/tos', options)
  }

  acceptTerms(version: string, options: CallOptions = {}) {
    return this.#api.call('post', '/v1/tos/accept', { body: { version }, ...options })
  }

  /** One entry per day. */
  usage(query: Query<'/v1/usage'> = {}, options: CallOptions = {}) {
    return this.#api.call('get', '/v1/usage', { query, ...options })
  }

  /** Short for `messages.send`. */
  send(message: OutgoingMessage, options: SendOptions = {}): Promise<QueuedMessage> {
    return this.messages.send(message, options)
  }

  /** Short for `messages.get`. */
  message(id: string, options: CallOptions = {}): Promise<MessageDetail> {
    return this.messages.get(id, options)
  }

  /** Every event of the account as it happens, without a webhook: `for await (const event of client.listen()) …`. */
  listen(options: ListenOptions = {}): AsyncGenerator<ListenedEvent, void> {
    return listen(this.listeners, options)
  }

  /** Every event of a pull endpoint, also of the time when no program read it: `for await (const event of client.pull(id)) …`. */
  pull(endpointId: string, options: PullOptions = {}): AsyncGenerator<PulledEvent, void> {
    return pull(this.endpoints, endpointId, options)
  }
}
