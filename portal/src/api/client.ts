import createClient from 'openapi-fetch'
import { capitalized } from '../capitalized.ts'
import { noteReached } from './reach.ts'
import type { paths as PortalPaths } from './portal-schema.d.ts'
import type { paths } from './schema.d.ts'
import { t } from '../t.ts'

/** Errors in the form of RFC 9457 contain the cause and what to do; the plain body has a fixed text. */
export const ACCEPT = 'application/json, application/problem+json'

/** The public API with the cookie session, and the routes that only the portal has. */
export const api = createClient<paths & PortalPaths>({ baseUrl: '/portal/api', headers: { accept: ACCEPT } })

/** An error response of the gateway; `message` is for people. */
export class ApiError extends Error {
  readonly status: number
  /** The request id in the gateway's log; `null` without a response. */
  readonly requestId: string | null
  /** The error code; `null` if the response has none. */
  readonly code: string | null
  /** The field that the gateway rejects; `null` if it names none. */
  readonly param: string | null

  constructor(
    status: number,
    message: string,
    {
      requestId = null,
      code = null,
      param = null,
    }: { requestId?: string | null; code?: string | null; param?: string | null } = {},
  ) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.requestId = requestId
    this.code = code
    this.param = param
  }
}

interface Answer<T> {
  data?: T
  error?: unknown
  response: Response
}

/** Returns the data, or throws an ApiError with the gateway's message. */
export async function take<T>(request: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await request.catch(unreachable)
  noteReached(true)
  if (!response.ok) throw errorOf(response.status, error, name => response.headers.get(name))
  return data as T
}

/** The message of an error response, as a problem or in the plain form, or else its status. */
export function errorOf(status: number, body: unknown, header: (name: string) => string | null): ApiError {
  const { detail, error, code, param } = (body ?? {}) as Record<string, unknown>
  const text = [detail, error].find(each => typeof each === 'string' && each !== '') as string | undefined
  const message = text === undefined ? t('The gateway answered {status}.', { status }) : sentence(text)
  return new ApiError(status, message, {
    requestId: header('x-request-id'),
    code: typeof code === 'string' ? code : header('x-error-code'),
    param: typeof param === 'string' ? param : null,
  })
}

/** A message that begins with the name of a field is not capitalized. */
const sentence = (text: string) => (/^[a-z]+_/.test(text) ? text : capitalized(text))

function unreachable(): never {
  noteReached(false)
  throw new ApiError(0, t('The gateway cannot be reached. Check that it runs, then try again.'))
}
