import type { TSchema } from 'typebox'
import { Compile } from 'typebox/schema'
import { GatewayError, invalid } from '../domain/errors.ts'

const MAX_PARAMETERS = 50

export type Validate = (value: unknown) => void

/** Compiled at the first request, because compiling all of them would take a tenth of a start. */
const compiledSchemas = new WeakMap<TSchema, ReturnType<typeof Compile>>()

function compiledSchema(schema: TSchema): ReturnType<typeof Compile> {
  let compiled = compiledSchemas.get(schema)
  if (compiled === undefined) compiledSchemas.set(schema, (compiled = Compile(schema)))
  return compiled
}

/** The check of a schema, which throws a 400 that names the field. */
export function compileValidator(schema: TSchema, what: 'body' | 'query' | 'params'): Validate {
  const coerce = what === 'query' || what === 'params' ? coercer(schema) : undefined
  return value => {
    if (what === 'query') rejectManyParameters(value as object)
    coerce?.(value as Record<string, unknown>)
    const compiled = compiledSchema(schema)
    if (!compiled.Check(value)) throw rejectionOf(compiled.Errors(value)[1][0] as SchemaError, what)
    rejectUnstorableText(value, '')
  }
}

/** Explaining an error walks all of them. */
function rejectManyParameters(query: object): void {
  if (Object.keys(query).length > MAX_PARAMETERS) {
    throw invalid(`query must not have more than ${MAX_PARAMETERS} parameters`)
  }
}

interface SchemaError {
  keyword: string
  instancePath: string
  schemaPath: string
  params: Record<string, unknown>
}

/** The error about the first violation. */
function rejectionOf(error: SchemaError, what: string): GatewayError {
  const param = paramOf(error)
  const code =
    error.keyword === 'required'
      ? 'parameter_missing'
      : error.keyword === 'boolean' || error.keyword === 'additionalProperties'
        ? 'parameter_unknown'
        : 'parameter_invalid'
  return new GatewayError(code, explain(error, what), param === '' ? {} : { param })
}

/** Empty if the whole value is wrong. */
function paramOf({ keyword, instancePath, params }: SchemaError): string {
  const field = fieldName(instancePath)
  if (keyword === 'required') return join(field, (params.requiredProperties as string[])[0]!)
  if (keyword === 'additionalProperties') return join(field, (params.additionalProperties as string[])[0]!)
  return field
}

/** A sentence about it. */
function explain(error: SchemaError, what: string): string {
  const field = fieldName(error.instancePath)
  const name = field === '' ? what : field
  switch (error.keyword) {
    case 'required':
      return `${paramOf(error)} is required`
    case 'boolean':
      return `${name} is not a known field`
    case 'additionalProperties':
      return `${paramOf(error)} is not a known field`
    case 'type':
      return `${name} must be ${article(String(error.params.type))}`
    case 'minLength':
      return error.params.limit === 1
        ? `${name} must not be empty`
        : `${name} must have at least ${error.params.limit} characters`
    case 'maxLength':
      return `${name} must not have more than ${error.params.limit} characters`
    case 'minimum':
    case 'maximum':
      return `${name} must be ${error.params.comparison === '>=' ? 'at least' : 'at most'} ${error.params.limit}`
    case 'minItems':
      return `${name} must have at least ${error.params.limit} item${error.params.limit === 1 ? '' : 's'}`
    case 'maxItems':
      return `${name} must not have more than ${error.params.limit} items`
    case 'enum':
      return `${name} must be one of: ${(error.params.allowedValues as unknown[]).join(', ')}`
    case 'const':
      return `${name} must be ${JSON.stringify(error.params.allowedValue)}`
    default:
      return `${name} has the wrong format`
  }
}

const fieldName = (pointer: string): string =>
  pointer
    .slice(1)
    .split('/')
    .map(part => part.replace(/~1/g, '/').replace(/~0/g, '~'))
    .map(part => (part.length > 100 ? `${part.slice(0, 100)}…` : part))
    .join('.')

const join = (field: string, child: string): string =>
  field === '' ? child.slice(0, 100) : `${field}.${child.slice(0, 100)}`

function article(type: string): string {
  if (type === 'integer') return 'a whole number'
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`
}

/** Rejects text that a database or receiver could not carry unchanged, once for every route. */
function rejectUnstorableText(value: unknown, field: string): void {
  if (typeof value === 'string') {
    if (value.includes('\0')) throw invalid(`${field} must not contain the character U+0000`, field)
    if (!value.isWellFormed()) throw invalid(`${field} must not contain half of a surrogate pair`, field)
  } else if (Array.isArray(value)) {
    value.forEach((item, i) => rejectUnstorableText(item, `${field}.${i}`))
  } else if (value !== null && typeof value === 'object') {
    // A parsed body has no inherited fields.
    for (const key in value) rejectUnstorableText((value as Record<string, unknown>)[key], join(field, key))
  }
}

/** Query values are texts: numbers and booleans are parsed where the schema has them. */
function coercer(schema: TSchema): (value: Record<string, unknown>) => void {
  const properties = Object.entries((schema as { properties?: Record<string, { type?: string }> }).properties ?? {})
  const typed = properties.filter(([, property]) => property.type === 'integer' || property.type === 'boolean')
  return value => {
    for (const [name, { type }] of typed) {
      const text = value[name]
      if (typeof text !== 'string') continue
      if (type === 'integer' && /^-?\d{1,15}$/.test(text)) value[name] = Number(text)
      if (type === 'boolean' && (text === 'true' || text === 'false')) value[name] = text === 'true'
    }
  }
}

/** A body of which nothing is required. */
export const mayBeLeftOut = (schema: TSchema): boolean => (schema as { required?: string[] }).required === undefined
