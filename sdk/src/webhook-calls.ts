import type { Api, CallOptions, Entry, Query } from './api.ts'
import type {
  Delivery,
  DeliveryFilter,
  DeliveryQuery,
  EndpointChange,
  ListQuery,
  NewEndpoint,
  NewReplay,
  NewWebhook,
  SecretRotation,
  WebhookTest,
  WebhookUrls,
} from './resources.ts'

export function webhookCalls(api: Api) {
  const of = (id: string, options: CallOptions) => ({ in: { id }, ...options })
  return {
    list: (query: ListQuery = {}, options: CallOptions = {}) => api.call('get', '/v1/webhooks', { query, ...options }),
    all: (query: ListQuery = {}, options: CallOptions = {}) => api.all('/v1/webhooks', { query, ...options }),
    get: (id: string, options: CallOptions = {}) => api.call('get', '/v1/webhooks/{id}', of(id, options)),
    /** `secret` of the answer is shown here and never again. */
    create: (body: NewWebhook, options: CallOptions = {}) => api.call('post', '/v1/webhooks', { body, ...options }),
    /** Changes the URLs that are given; an empty one switches its category off. */
    update: (id: string, body: WebhookUrls, options: CallOptions = {}) =>
      api.call('put', '/v1/webhooks/{id}', { body, ...of(id, options) }),
    delete: (id: string, options: CallOptions = {}) => api.call('delete', '/v1/webhooks/{id}', of(id, options)),
    test: (id: string, body: WebhookTest = {}, options: CallOptions = {}) =>
      api.call('post', '/v1/webhooks/{id}/test', { body, ...of(id, options) }),
    rotateSecret: (id: string, body: SecretRotation = {}, options: CallOptions = {}) =>
      api.call('post', '/v1/webhooks/{id}/rotate-secret', { body, ...of(id, options) }),
    /** Sends dead letters again, as a job. */
    replay: (id: string, body: NewReplay = {}, options: CallOptions = {}) =>
      api.call('post', '/v1/webhooks/{id}/replay', { body, ...of(id, options) }),
    getReplay: (id: string, replay_id: string, options: CallOptions = {}) =>
      api.call('get', '/v1/webhooks/{id}/replay/{replay_id}', { in: { id, replay_id }, ...options }),
    cancelReplay: (id: string, replay_id: string, options: CallOptions = {}) =>
      api.call('delete', '/v1/webhooks/{id}/replay/{replay_id}', { in: { id, replay_id }, ...options }),
  }
}

export interface EndpointOptions extends CallOptions {
  /** Choose a key so that your own retry does not create a second endpoint. By default each call makes one for its attempts. */
  readonly idempotencyKey?: string
}

/** Endpoints get events of several numbers: posted to a URL, or kept for a program that reads them. */
export function endpointCalls(api: Api) {
  const of = (id: string, options: CallOptions) => ({ in: { id }, ...options })
  return {
    list: (query: ListQuery = {}, options: CallOptions = {}) => api.call('get', '/v1/endpoints', { query, ...options }),
    all: (query: ListQuery = {}, options: CallOptions = {}) => api.all('/v1/endpoints', { query, ...options }),
    get: (id: string, options: CallOptions = {}) => api.call('get', '/v1/endpoints/{id}', of(id, options)),
    /** `secret` of the answer is shown here and never again. Safe to repeat: one key creates one endpoint. */
    create: (
      body: NewEndpoint,
      { idempotencyKey = globalThis.crypto.randomUUID(), ...options }: EndpointOptions = {},
    ) => api.call('post', '/v1/endpoints', { body, idempotencyKey, ...options }),
    /** Changes what is given; `headers` replaces all of them. */
    update: (id: string, body: EndpointChange, options: CallOptions = {}) =>
      api.call('patch', '/v1/endpoints/{id}', { body, ...of(id, options) }),
    delete: (id: string, options: CallOptions = {}) => api.call('delete', '/v1/endpoints/{id}', of(id, options)),
    test: (id: string, body: WebhookTest = {}, options: CallOptions = {}) =>
      api.call('post', '/v1/endpoints/{id}/test', { body, ...of(id, options) }),
    rotateSecret: (id: string, body: SecretRotation = {}, options: CallOptions = {}) =>
      api.call('post', '/v1/endpoints/{id}/rotate-secret', { body, ...of(id, options) }),
    /** Sends dead letters again, as a job. */
    replay: (id: string, body: NewReplay = {}, options: CallOptions = {}) =>
      api.call('post', '/v1/endpoints/{id}/replay', { body, ...of(id, options) }),
    getReplay: (id: string, replay_id: string, options: CallOptions = {}) =>
      api.call('get', '/v1/endpoints/{id}/replay/{replay_id}', { in: { id, replay_id }, ...options }),
    cancelReplay: (id: string, replay_id: string, options: CallOptions = {}) =>
      api.call('delete', '/v1/endpoints/{id}/replay/{replay_id}', { in: { id, replay_id }, ...options }),
    /** The events of a pull endpoint; acknowledges those up to `after`. `PosternClient.pull` does this in a loop. */
    read: (id: string, query: Query<'/v1/endpoints/{id}/events'> = {}, options: CallOptions = {}) =>
      api.call('get', '/v1/endpoints/{id}/events', { query, ...of(id, options) }),
    /** No later read of the pull endpoint returns the events up to the cursor. */
    ack: (id: string, cursor: string, options: CallOptions = {}) =>
      api.call('post', '/v1/endpoints/{id}/ack', { body: { cursor }, ...of(id, options) }),
    /** The events of a pull endpoint as they happen, over one connection. Acknowledge them with `ack`. */
    stream: (id: string, options: CallOptions = {}) =>
      api.follow<Entry<'/v1/endpoints/{id}/events'>>('/v1/endpoints/{id}/stream', 'event', of(id, options)),
  }
}

export function deliveryCalls(api: Api) {
  const of = (id: string, options: CallOptions) => ({ in: { id }, ...options })
  return {
    list: (query: DeliveryQuery = {}, options: CallOptions = {}) =>
      api.call('get', '/v1/deliveries', { query, ...options }),
    all: (query: DeliveryQuery = {}, options: CallOptions = {}) => api.all('/v1/deliveries', { query, ...options }),
    /** Each delivery that is new or has changed, as it happens. */
    events: (query: DeliveryFilter = {}, options: CallOptions = {}) =>
      api.follow<Delivery>('/v1/deliveries/events', 'delivery', { query, ...options }),
    get: (id: string, options: CallOptions = {}) => api.call('get', '/v1/deliveries/{id}', of(id, options)),
    resend: (id: string, options: CallOptions = {}) => api.call('post', '/v1/deliveries/{id}/resend', of(id, options)),
    /** Stops the retries of a delivery: it becomes a dead letter. */
    giveUp: (id: string, options: CallOptions = {}) => api.call('post', '/v1/deliveries/{id}/give-up', of(id, options)),
  }
}
