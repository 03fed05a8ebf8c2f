import { getOwn } from '../../runtime/get-own.ts'
import { PART_NAMES } from './names.ts'

export type Json = Record<string, unknown>

/** Gives equal schemas one name, wherever they occur. */
export class NamedSchemas {
  readonly #names = new Map<string, string>()
  readonly #schemas = new Map<string, Json>()

  add(name: string, schema: unknown): void {
    const bare = bareOf(schema)
    const same = JSON.stringify(bare)
    if (this.#names.has(same)) return
    if (this.#schemas.has(name)) throw new Error(`two different schemas are called ${name}`)
    const data = propertyOf(bare, 'data')
    if (name.endsWith('List') && data !== undefined) this.add(name.slice(0, -'List'.length), data['items'])
    this.#names.set(same, name)
    this.#schemas.set(name, bare)
    for (const [part, of, field] of PART_NAMES) if (of === name) this.add(part, itemOf(propertyOf(bare, field)!))
  }

  /** The schema, with references in place of named schemas. */
  refer(schema: unknown): unknown {
    return this.#refer(bareOf(schema), true)
  }

  /** All named schemas, each with references to the others, by name. */
  get all(): Json {
    const named = [...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1))
    return Object.fromEntries(named.map(([name, schema]) => [name, this.#refer(schema, false)]))
  }

  #refer(value: unknown, itself: boolean): unknown {
    if (Array.isArray(value)) return value.map(each => this.#refer(each, true))
    if (value === null || typeof value !== 'object') return value
    const name = itself ? this.#names.get(JSON.stringify(value)) : undefined
    if (name !== undefined) return { $ref: `#/components/schemas/${name}` }
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, this.#refer(each, true)]))
  }
}

const bareOf = (schema: unknown): Json => {
  const { $id: _id, ...rest } = JSON.parse(JSON.stringify(schema)) as Json
  return rest
}

const propertyOf = (schema: Json, field: string): Json | undefined =>
  getOwn((schema['properties'] ?? {}) as Record<string, Json>, field)

const itemOf = (schema: Json): Json => (schema['type'] === 'array' ? (schema['items'] as Json) : schema)
