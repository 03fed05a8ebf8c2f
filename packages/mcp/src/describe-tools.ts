import type { ToolName } from './tool-names.ts'

interface Parameter {
  name: string
  in: string
  required?: boolean
  description?: string
  schema: object
}

interface Operation {
  summary: string
  description?: string
  parameters?: Parameter[]
  requestBody?: { content: { 'application/json'?: { schema: { $ref?: string } & ObjectSchema } } }
  'x-scope'?: string
}

interface ObjectSchema {
  properties?: Record<string, object>
  required?: string[]
}

/** The fields of `openapi.json` that describe tools. */
export interface OpenApi {
  paths: Record<string, Partial<Record<string, Operation>>>
  components: { schemas: Record<string, ObjectSchema> }
}

export interface Tool {
  name: string
  title: string
  description: string
  inputSchema: { type: 'object'; properties: Record<string, object>; required: string[]; additionalProperties: false }
  annotations: {
    title: string
    readOnlyHint: boolean
    destructiveHint: boolean
    idempotentHint: boolean
    openWorldHint: boolean
  }
}

export const IDEMPOTENCY_ARGUMENT = 'idempotency_key'
const IDEMPOTENCY_HEADER = 'Idempotency-Key'
const IDEMPOTENCY_KEY = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  description:
    'A name of your own for this message, of visible ASCII characters. Use the same one to try again: it never sends twice.',
}

/** A file comes in the arguments, since an agent has no body to send. */
export const FILE_ARGUMENT = 'data'
export const TYPE_ARGUMENT = 'content_type'
/** Messages of the protocol over HTTP have at most 4 MB. */
export const MAX_FILE_CHARACTERS = 3_900_000
const FILE_ARGUMENTS: ReadonlyArray<readonly [string, object]> = [
  [FILE_ARGUMENT, { type: 'string', minLength: 1, maxLength: MAX_FILE_CHARACTERS, description: 'The file in base64.' }],
  [TYPE_ARGUMENT, { type: 'string', maxLength: 100, description: 'The type of the file, such as application/pdf.' }],
]

/** The tools that a key with these scopes may use; `null`: the caller may use all of them. */
export function describeTools(
  names: readonly ToolName[],
  { paths, components }: OpenApi,
  scopes: readonly string[] | null,
): Tool[] {
  return names.flatMap(name => {
    const operation = own(own(paths, name.path) ?? {}, name.method)
    if (operation === undefined || !isPermitted(operation, scopes)) return []
    return [describeTool(name, operation, components.schemas)]
  })
}

/** An object also inherits names such as `constructor`. */
const own = <V>(table: Readonly<Record<string, V>>, key: string): V | undefined =>
  new Map(Object.entries(table)).get(key)

const isPermitted = (operation: Operation, scopes: readonly string[] | null): boolean => {
  const scope = operation['x-scope']
  return scope === undefined || scopes === null || scopes.includes(scope)
}

function describeTool(name: ToolName, operation: Operation, schemas: OpenApi['components']['schemas']): Tool {
  const isReading = name.method === 'get' || name.isReading === true
  return {
    name: name.name,
    title: name.title,
    description: [`${operation.summary}.`, operation.description, name.note].filter(Boolean).join(' '),
    inputSchema: argumentsOf(name, operation, schemas),
    annotations: {
      title: name.title,
      readOnlyHint: isReading,
      destructiveHint: name.isDestructive === true,
      idempotentHint: isReading || name.isIdempotent === true,
      openWorldHint: name.isOutside === true,
    },
  }
}

/** Path parameters, query parameters and body fields are the arguments of the tool, side by side. */
function argumentsOf(
  name: ToolName,
  { parameters = [], requestBody }: Operation,
  schemas: OpenApi['components']['schemas'],
): Tool['inputSchema'] {
  const properties = new Map<string, object>()
  const required: string[] = []
  for (const { name: given, in: place, required: isRequired, description, schema } of parameters) {
    if (given === IDEMPOTENCY_HEADER) {
      properties.set(IDEMPOTENCY_ARGUMENT, IDEMPOTENCY_KEY)
      required.push(IDEMPOTENCY_ARGUMENT)
    }
    if (place === 'header') continue
    const called = place === 'path' ? ((given === 'id' ? name.id : name.jid) ?? given) : given
    const isExplained = description !== undefined && given !== 'id'
    properties.set(called, { ...schema, ...(isExplained && { description }) })
    if (isRequired === true) required.push(called)
  }
  const given = requestBody?.content['application/json']?.schema
  if (requestBody !== undefined && given === undefined)
    for (const [field, schema] of FILE_ARGUMENTS) {
      properties.set(field, schema)
      required.push(field)
    }
  const body = given?.$ref === undefined ? given : own(schemas, given.$ref.split('/').at(-1)!)
  for (const [field, schema] of Object.entries(body?.properties ?? {})) properties.set(field, schema)
  required.push(...(body?.required ?? []))
  return { type: 'object', properties: Object.fromEntries(properties), required, additionalProperties: false }
}
