/** The part of openapi.json that the reference shows. */
export interface Schema {
  $ref?: string
  type?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  description?: string
  format?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  default?: unknown
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  example?: string
  schema: Schema
}

interface Content {
  schema: Schema
  example?: unknown
}

export interface Operation {
  operationId: string
  tags: [string]
  summary: string
  description?: string
  security: Record<string, unknown>[]
  parameters: Parameter[]
  requestBody?: { required: boolean; content: { 'application/json'?: Content; '*/*'?: Content } }
  responses: Record<string, { description: string; content?: Record<string, Content> }>
  'x-scope'?: string
}

export interface Document {
  info: { version: string; description: string }
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, { post: Operation }>
  components: { schemas: Record<string, Schema> }
}

export interface PlacedOperation extends Operation {
  method: string
  path: string
  /** Its id on the page of its tag and on the front page. */
  anchor: string
}

export const operationsOf = ({ paths }: Document): PlacedOperation[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
      anchor: `${method}${path.replace(/\{(\w+)\}/g, '$1')}`.toLowerCase().replace(/[^a-z0-9]+/g, '-'),
    })),
  )

export const pathOfTag = (tag: string): string => `/docs/reference/${tag.toLowerCase().replace(/ /g, '-')}`

/** Resolves the reference of a schema. */
export function resolveRef(document: Document, schema: Schema): Schema {
  if (schema.$ref === undefined) return schema
  return document.components.schemas[schema.$ref.replace('#/components/schemas/', '')]!
}
