import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Document, operationsOf } from '../../site/reference/document.ts'
import { sampleOfOperation } from '../../site/reference/operation.ts'
import { LANGUAGES } from '../../site/samples/languages.ts'
import { type Sample, sampleOf } from '../../site/samples/sample.ts'
import { codeBlocks } from '../../site/markdown.ts'
import { readRequest } from '../../site/guide-page.ts'
import { OPERATOR_TOKEN, startTestGateway, type TestAccount, type TestGateway } from '../harness/gateway.ts'
import { needProgram } from '../harness/programs.ts'
import { until } from '../harness/until.ts'

const ROOT = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'postern-examples-'))

let gateway: TestGateway
let account: TestAccount
let env: Record<string, string>

beforeAll(async () => {
  gateway = await startTestGateway('sqlite', { POSTERN_ROLES: 'api,worker,dispatcher,simulator' })
  account = await gateway.account()
  const session = (await account.ask('POST', '/v1/sessions', { platform: 'sandbox' })).json.id
  const own = `/sandbox/sessions/${encodeURIComponent(session)}`
  const text = { from: '15551234567', type: 'text', text: 'hello' }
  env = {
    POSTERN_URL: gateway.url,
    POSTERN_API_KEY: account.key,
    POSTERN_OPERATOR_TOKEN: OPERATOR_TOKEN,
    POSTERN_SESSION: session,
    MESSAGE_ID: (await account.ask('POST', `${own}/incoming`, text)).json.message_id,
    SENT_ID: await send(session, { text: 'hello' }),
    ALBUM_ID: await send(session, { album: { images: 2 } }),
    EVENT_ID: await send(session, { event: { name: 'Opening', start: '2030-05-04T16:00:00Z' } }),
  }
})
/** Resolves with the id of a message that was sent. */
async function send(session: string, content: object): Promise<string> {
  const message = { session_id: session, to: '+1 555 123 4567', ...content }
  const id = (await account.ask('POST', '/v1/messages', message)).json.message_id as string
  await until(async () => (await account.ask('GET', `/v1/messages/${id}`)).json.state !== 'queued')
  return id
}
// A sample sets the number offline, where it cannot type.
beforeEach(async () => {
  const { status } = await account.ask('PATCH', `/v1/sessions/${encodeURIComponent(env.POSTERN_SESSION!)}`, {
    appear: 'auto',
  })
  expect(status).toBe(200)
})
afterAll(async () => {
  await gateway.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Every request of the guides, by its place. */
const GUIDES = readdirSync(join(ROOT, 'docs/guide')).flatMap(name =>
  codeBlocks(readFileSync(join(ROOT, 'docs/guide', name), 'utf8')).flatMap(({ language, info, text }, index) =>
    language === 'request' ? [[`${name} ${index}: ${info}`, sampleOf(readRequest(info, text))] as const] : [],
  ),
)

const document = JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8')) as Document
const READS = operationsOf(document)
  .filter(({ method, path }) => method === 'GET' && !path.includes('{') && !path.endsWith('/events'))
  .map(operation => [`${operation.method} ${operation.path}`, sampleOfOperation(operation)] as const)

/** Creates what a sample needs; repeating it for each language is allowed, because a number has one webhook. */
const canRun = ([, { path }]: readonly [string, Sample]): boolean =>
  path.every(piece => typeof piece === 'string' || piece.name === 'POSTERN_SESSION') && !path.includes('/v1/webhooks')
const SAMPLES = [...READS, ...GUIDES].filter(canRun)

const EXTENSION: Record<string, string> = { curl: 'sh', node: 'mjs', python: 'py', php: 'php', go: 'go' }
const COMMAND: Record<string, (file: string) => [string, string[]]> = {
  curl: file => [needProgram('bash', 'bash'), [file]],
  node: file => [process.execPath, [file]],
  python: file => [needProgram('python3', 'python3'), [file]],
  php: file => [needProgram('php', 'php-cli'), [file]],
  go: file => [needProgram('go', 'golang-go'), ['run', file]],
}

/** The whole body of an error, as JSON or as Node prints an object. A field `error` inside of a good body is not one. */
const ERROR_BODY = /^\{\s*"?error"?:/m

/** A field of the response. */
const READS_SHOW = /\b(?:data|account|version|nodes|session_id|jid|scheme)\b["']?\s*[:=]/
const WRITES_SHOW =
  /\b(?:status|typing|message_id|id|jid|data|scheme|outcome|last_seen|picture_id|url|people|messages)\b["']?\s*[:=]/

/** Runs a sample as a reader would; returns its output. */
async function run(language: string, text: string, name: string): Promise<{ code: number | null; output: string }> {
  const file = join(folder, `${name}.${EXTENSION[language]}`)
  writeFileSync(file, text)
  const [program, args] = COMMAND[language]!(file)
  const go = { GOCACHE: join(folder, 'cache'), GO111MODULE: 'off' }
  const child = spawn(program, args, { env: { ...process.env, ...go, ...env } })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (output += chunk))
  const code = await new Promise<number | null>(resolve => child.on('close', resolve))
  return { code, output }
}

describe.each(LANGUAGES.map(language => [language.name, language] as const))(
  'The samples in %s',
  (_name, { id, write }) => {
    // Compiling each takes seconds: for Go only one that reads and one that writes are run.
    const samples = id === 'go' ? [SAMPLES[0]!, SAMPLES.at(-1)!] : SAMPLES

    test.each(samples)('the sample of %s works as described', async (name, sample) => {
      const { code, output } = await run(id, write(sample), name.replace(/\W+/g, '-'))
      expect([code, output]).toEqual([0, expect.not.stringMatching(ERROR_BODY)])
      expect(output).toMatch(sample.method === 'GET' ? READS_SHOW : WRITES_SHOW)
    })
  },
)

test('every sample of the reference is Go, PHP and Python that compiles', async () => {
  const all = operationsOf(document).map(operation => sampleOfOperation(operation))
  const sources = (id: string) => all.map(LANGUAGES.find(language => language.id === id)!.write)
  const faults: string[] = []
  for (const [id, check] of [
    ['php', (file: string) => [needProgram('php', 'php-cli'), ['-l', file]]],
    ['python', (file: string) => [needProgram('python3', 'python3'), ['-m', 'py_compile', file]]],
    ['go', (file: string) => [needProgram('gofmt', 'golang-go'), ['-e', file]]],
  ] as const) {
    for (const [index, source] of sources(id).entries()) {
      const file = join(folder, `check-${index}.${EXTENSION[id]}`)
      writeFileSync(file, `${source}\n`)
      const [program, args] = check(file) as [string, string[]]
      const child = spawn(program, args)
      let said = ''
      for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (said += chunk))
      const code = await new Promise<number | null>(resolve => child.on('close', resolve))
      if (code !== 0) faults.push(`${id} ${index}: ${said}`)
    }
  }
  expect(faults).toEqual([])
})
