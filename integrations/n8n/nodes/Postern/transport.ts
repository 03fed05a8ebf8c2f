import type {
  IExecuteFunctions,
  IHookFunctions,
  IHttpRequestOptions,
  ILoadOptionsFunctions,
  IN8nHttpFullResponse,
  JsonObject,
} from 'n8n-workflow'
import { NodeApiError, NodeOperationError } from 'n8n-workflow'
import type { ApiRequest, Values } from './call.ts'
import { describeError } from './error-response.ts'

export type Caller = IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions

interface GatewayRequest extends ApiRequest {
  token?: 'key' | 'operator'
  itemIndex?: number
  encoding?: 'stream'
}

const PAGE = 100

/** Calls the gateway. An error response throws, with the gateway's message and what to do. */
export async function sendRequest(caller: Caller, request: GatewayRequest): Promise<unknown> {
  const { itemIndex } = request
  const answer = await responseTo(caller, request)
  if (answer.statusCode >= 200 && answer.statusCode < 300) return answer.body
  const { status, message, code, description } = describeError(answer.statusCode, answer.body, answer.headers)
  const shown = { message, code, httpCode: String(status) } as JsonObject
  throw new NodeApiError(caller.getNode(), shown, { message, description, httpCode: String(status), itemIndex })
}

async function responseTo(caller: Caller, request: GatewayRequest): Promise<IN8nHttpFullResponse> {
  const { baseUrl, operatorToken } = await caller.getCredentials('posternApi')
  const { token = 'key', method, path, query, body, headers, encoding } = request
  const options: IHttpRequestOptions = {
    method,
    url: `${String(baseUrl).replace(/\/+$/, '')}${path}`,
    qs: query,
    // Errors in the form of RFC 9457 contain more than the plain body.
    headers: { Accept: 'application/json, application/problem+json', ...headers },
    json: encoding === undefined,
    returnFullResponse: true,
    ignoreHttpStatusErrors: true,
    // A redirect would receive the token.
    disableFollowRedirect: true,
    ...(body !== undefined && { body }),
    ...(encoding !== undefined && { encoding }),
  }
  if (token === 'key')
    return (await caller.helpers.httpRequestWithAuthentication.call(
      caller,
      'posternApi',
      options,
    )) as IN8nHttpFullResponse
  if (String(operatorToken ?? '') === '')
    throw new NodeOperationError(caller.getNode(), 'This call needs the operator’s token', {
      description: 'Put POSTERN_OPERATOR_TOKEN of the gateway into the field Operator Token of the credentials.',
      itemIndex: request.itemIndex,
    })
  const authorized = { ...options, headers: { ...options.headers, Authorization: `Bearer ${String(operatorToken)}` } }
  return (await caller.helpers.httpRequest(authorized)) as IN8nHttpFullResponse
}

/** The entries of a list, page by page, up to a limit. */
export async function fetchAllPages(
  caller: Caller,
  request: GatewayRequest,
  limit = Number.POSITIVE_INFINITY,
): Promise<Values[]> {
  const found: Values[] = []
  let cursor: string | null = null
  do {
    const query: Record<string, string> = {
      ...request.query,
      limit: String(Math.min(PAGE, limit - found.length)),
      ...(cursor !== null && { cursor }),
    }
    const page = (await sendRequest(caller, { ...request, query })) as { data: Values[]; next_cursor: string | null }
    found.push(...page.data)
    cursor = page.next_cursor
  } while (cursor !== null && found.length < limit)
  return found
}

export const get = (path: string): ApiRequest => ({ method: 'GET', path, query: {}, headers: {} })
