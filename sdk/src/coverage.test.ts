import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { PosternClient } from './client.ts'
import { PosternOperator } from './operator.ts'

const SDK = resolve(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(SDK, path), 'utf8')
const { paths } = JSON.parse(read('../openapi.json')) as { paths: Record<string, Record<string, unknown>> }
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.keys(methods).map(method => ({ name: `${method.toUpperCase()} ${path}`, shape: shapeOf(path) })),
)

/** Matches the path with something in the place of each name. */
function shapeOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/\{\w+\}/g, 'an%20id')}$`)
}

/** Calls every method and returns the requests that they made. */
async function everythingAskedBy(client: object): Promise<string[]> {
  for (const [, call] of callsOf(client)) {
    const result: unknown = call('an id', 'an id', 'an id')
    if (isGenerator(result)) for await (const _ of result) break
    else await result
  }
  return asked
}

function callsOf(value: object): [string, (...args: string[]) => unknown][] {
  const own = Object.entries(value)
  const inherited = Object.getOwnPropertyNames(Object.getPrototypeOf(value))
    // They loop over the calls of listeners and endpoints, which this test calls directly.
    .filter(name => name !== 'listen' && name !== 'pull')
    .filter(name => name !== 'constructor' && Object.getPrototypeOf(value) !== Object.prototype)
    .map((name): [string, unknown] => [name, Reflect.get(value, name)])
  return [...own, ...inherited].flatMap(([name, member]): [string, (...args: string[]) => unknown][] => {
    if (typeof member === 'function') return [[name, (...args) => Reflect.apply(member, value, args)]]
    return typeof member === 'object' && member !== null ? callsOf(member) : []
  })
}

const isGenerator = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value

const asked: string[] = []
const fetch: typeof globalThis.fetch = async (input, init) => {
  asked.push(`${init?.method} ${new URL(input as string).pathname}`)
  return Response.json({ data: [], next_cursor: null })
}

test('every operation of openapi.json has a method, and no method asks for anything else', async () => {
  const connection = { baseUrl: 'http://127.0.0.1:1', fetch }
  await everythingAskedBy(new PosternClient({ ...connection, apiKey: 'ptn_test' }))
  await everythingAskedBy(new PosternOperator({ ...connection, operatorToken: 'token' }))
  expect(operations.length).toBeGreaterThan(55)
  const isAsked = ({ name, shape }: (typeof operations)[number]) => {
    const [method] = name.split(' ')
    return asked.some(request => request.startsWith(`${method} `) && shape.test(request.slice(method!.length + 1)))
  }
  expect(operations.filter(operation => !isAsked(operation)).map(({ name }) => name)).toEqual([])
  const isKnown = (request: string) =>
    operations.some(({ name, shape }) => {
      const [method] = name.split(' ')
      return request.startsWith(`${method} `) && shape.test(request.slice(method!.length + 1))
    })
  expect(asked.filter(request => !isKnown(request))).toEqual([])
})

test('the types are those of the committed openapi.json', () => {
  const digest = createHash('sha256').update(read('../openapi.json')).digest('hex')
  expect(read('src/schema.ts').split('\n')[0], 'run `npm run schema -w portal`').toContain(digest)
})

test('nothing of one runtime alone is used: no module of Node, no global that others lack', () => {
  const sources = readdirSync(join(SDK, 'src')).filter(name => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  expect(sources.length).toBeGreaterThan(15)
  const isForeign = (name: string) =>
    /from '(?!\.\/)|\bimport\(|\brequire\(|\bBuffer\b|\bprocess\./.test(read(`src/${name}`))
  expect(sources.filter(name => name !== 'schema.ts' && isForeign(name))).toEqual([])
})
