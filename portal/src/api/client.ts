import createClient from 'openapi-fetch'
import { capitalized } from '../capitalized.ts'
import { noteReached } from './reach.ts'
import type { paths as PortalPaths } from './portal-schema.d.ts'
import type { paths } from './schema.d.ts'
import { t } from '../t.ts'

/** Refusals as RFC 9457 has them: they say the cause and the cure, where the plain body has a fixed text. */
export const ACCEPT = 'application/json, application/problem+json'

/** The public interface under the cookie session, and what only the portal has beside it. */
export const api = createClient<paths & PortalPaths>({ baseUrl: '/portal/api', headers: { accept: ACCEPT } })

/** What the gateway answered instead of data; `message` is meant for people. */
export class ApiError extends Error {
  readonly status: number
  /** What the gateway's log calls the request; `null` where none was answered. */
  readonly requestId: string | null
  /** The kind of refusal; `null` where none was named. */
  readonly code: string | null

  constructor(status: number, message: string, requestId: string | null = null, code: string | null = null) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.requestId = requestId
    this.code = code
  }
}

interface Answer<T> {
  data?: T
  error?: unknown
  response: Response
}

/** The data, or an ApiError with the gateway's own words. */
export async function take<T>(request: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await request.catch(unreachable)
  noteReached(true)
  if (!response.ok) throw errorOf(response.status, error, name => response.headers.get(name))
  return data as T
}

/** What a refusal says, as a problem or in the plain form, or that there was one. */
export function errorOf(status: number, body: unknown, header: (name: string) => string | null): ApiError {
  const { detail, error, code } = (body ?? {}) as { detail?: unknown; error?: unknown; code?: unknown }
  const text = [detail, error].find(each => typeof each === 'string' && each !== '') as string | undefined
  const message = text === undefined ? t('The gateway answered {status}.', { status }) : sentence(text)
  return new ApiError(status, message, header('x-request-id'), typeof code === 'string' ? code : header('x-error-code'))
}

/** A text that begins with the name of a field keeps it as it is. */
const sentence = (text: string) => (/^[a-z]+_/.test(text) ? text : capitalized(text))

function unreachable(): never {
  noteReached(false)
  throw new ApiError(0, t('The gateway cannot be reached. Check that it runs, then try again.'))
}
