import type { TObject, TProperties, TSchema } from 'typebox'
import { Type } from './type.ts'
import { ERROR_CODES } from '../domain/error-codes.ts'
import { EMAIL, PASSWORD_LENGTH } from '../domain/user.ts'

/** Rejects unknown fields by name; every schema of the API is made with it. */
export const Strict = <P extends TProperties>(properties: P, options: Record<string, unknown> = {}): TObject<P> =>
  Type.Object(properties, { additionalProperties: false, ...options })

export const Email = Type.String({ pattern: EMAIL.source, maxLength: 255 })
export const GivenPassword = Type.String({ minLength: 1, maxLength: PASSWORD_LENGTH.max })
export const NewPassword = Type.String({ minLength: PASSWORD_LENGTH.min, maxLength: PASSWORD_LENGTH.max })

/** A time whose name does not say enough. */
export const DescribedTime = (description: string) =>
  Type.String({ format: 'date-time', description, examples: ['2026-01-31T12:00:00.000Z'] })
export const Time = DescribedTime('ISO 8601 UTC')
export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])
export const OneOf = <T extends readonly string[]>(values: T, options: Record<string, unknown> = {}) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options })

export const ById = Strict({ id: Type.String() })

export const ErrorBody = Strict(
  {
    error: Type.String({
      description: 'A short description of the error. The header X-Error-Code has the code for programs.',
    }),
  },
  { $id: 'Error' },
)

export const ErrorCodeName = OneOf(Object.keys(ERROR_CODES), { description: 'The error code, for programs.' })

/** RFC 9457, for clients that send `Accept: application/problem+json`. */
export const Problem = Strict(
  {
    type: Type.String({
      format: 'uri',
      description: 'A page of this gateway that explains the code and how to correct the error.',
    }),
    title: Type.String({ description: 'The same text in every response with this code.' }),
    status: Type.Integer({ description: 'The HTTP status of the response.' }),
    detail: Type.String({ description: 'The cause in this case and how you correct it.' }),
    code: ErrorCodeName,
    param: Type.Optional(Type.String({ description: 'The field or header that caused the error.' })),
    request_id: Type.String({ description: 'The X-Request-Id of the response.' }),
  },
  { $id: 'Problem' },
)

const MAX_PAGE = 100

export const pageQuery = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_PAGE, default: 50, description: 'The maximum number of entries.' }),
  ),
  cursor: Type.Optional(Type.String({ maxLength: 400, description: 'The next_cursor of the previous page.' })),
}

/** A list inside of a response. The handler leaves out what is beyond the maximum. */
export const upTo = <T extends TSchema>(maxItems: number, item: T, description?: string) =>
  Type.Array(item, { maxItems, ...(description === undefined ? {} : { description }) })

export const listOf = <T extends TSchema>(item: T) =>
  Strict({ data: upTo(MAX_PAGE, item), next_cursor: Nullable(Type.String()) })

export const iso = (ms: number): string => new Date(ms).toISOString()
export const isoOrNull = (ms: number | null): string | null => (ms === null ? null : iso(ms))
