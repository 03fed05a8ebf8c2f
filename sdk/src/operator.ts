import { Api, type Body, type CallOptions } from './api.ts'
import { checkOptions, type ConnectionOptions } from './options.ts'
import type { ListQuery } from './resources.ts'
import { Transport } from './transport.ts'

export interface PosternOperatorOptions extends ConnectionOptions {
  /** POSTERN_OPERATOR_TOKEN of the gateway. Secret. */
  readonly operatorToken: string
}

/** The operator's calls: accounts, numbers that move, and the overview of the gateway. */
export class PosternOperator {
  readonly accounts: ReturnType<typeof accountCalls>
  readonly numbers: ReturnType<typeof numberCalls>
  readonly #api: Api

  constructor(options: PosternOperatorOptions) {
    this.#api = new Api(new Transport(checkOptions(options, { name: 'operatorToken', token: options.operatorToken })))
    this.accounts = accountCalls(this.#api)
    this.numbers = numberCalls(this.#api)
  }

  overview(options: CallOptions = {}) {
    return this.#api.call('get', '/operator/overview', options)
  }

  /** A link that signs in to the portal, once, within an hour. */
  createSignInLink(body: Body<'post', '/operator/sign-in-links'> = {}, options: CallOptions = {}) {
    return this.#api.call('post', '/operator/sign-in-links', { body, ...options })
  }
}

function accountCalls(api: Api) {
  return {
    list: (query: ListQuery = {}, options: CallOptions = {}) =>
      api.call('get', '/operator/accounts', { query, ...options }),
    all: (query: ListQuery = {}, options: CallOptions = {}) => api.all('/operator/accounts', { query, ...options }),
    /** Only this response has the account's first key. */
    create: (body: Body<'post', '/operator/accounts'>, options: CallOptions = {}) =>
      api.call('post', '/operator/accounts', { body, ...options }),
    update: (id: string, body: Body<'patch', '/operator/accounts/{id}'>, options: CallOptions = {}) =>
      api.call('patch', '/operator/accounts/{id}', { in: { id }, body, ...options }),
    createKey: (id: string, body: Body<'post', '/operator/accounts/{id}/keys'>, options: CallOptions = {}) =>
      api.call('post', '/operator/accounts/{id}/keys', { in: { id }, body, ...options }),
  }
}

interface ImportOptions extends CallOptions {
  /** The account that gets the number. */
  readonly accountId: string
  readonly passphrase: string
}

/** Numbers that move between gateways. */
function numberCalls(api: Api) {
  return {
    /** Stops a number for good, and returns its sealed file as a stream: import it into one other gateway. */
    export: (
      id: string,
      body: Body<'post', '/operator/sessions/{id}/export'>,
      options: CallOptions = {},
    ): Promise<ReadableStream<Uint8Array>> =>
      api.downloadFor('/operator/sessions/{id}/export', { in: { id }, body, ...options }),
    /** Runs an exported number here again. Only if its file was not imported anywhere. */
    takeBack: (id: string, options: CallOptions = {}) =>
      api.call('post', '/operator/sessions/{id}/take-back', { in: { id }, ...options }),
    /** Takes over a number. Give a `timeoutMs` that suits the size of the file. */
    import: (content: Blob | Uint8Array, { accountId, passphrase, ...options }: ImportOptions) =>
      api.call('post', '/operator/sessions/import', {
        file: { content, type: 'application/octet-stream' },
        query: { account_id: accountId },
        headers: { 'postern-passphrase': toBase64(passphrase) },
        ...options,
      }),
  }
}

const toBase64 = (text = ''): string =>
  btoa(Array.from(new TextEncoder().encode(text), byte => String.fromCharCode(byte)).join(''))
