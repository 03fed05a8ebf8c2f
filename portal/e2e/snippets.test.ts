import { spawnSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { cells } from '../../test/harness/matrix.ts'
import { needProgram } from '../../test/harness/programs.ts'

const SNIPPETS = join(import.meta.dirname, '../src/snippets')
const folder = mkdtempSync(join(tmpdir(), 'postern-snippets-'))
const SECRET = 'whsec_snippets'
const OLD_SECRET = 'whsec_before_rotation'
/** Has spaces, umlauts and a final line break, so that the signature matches only the original bytes. */
const BODY = Buffer.from('{"kind": "message",  "text":"Grüße \\u00e9 👋"}\n')

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const sign = (t: number, secret = SECRET, body = BODY) =>
  createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex')
const now = () => Math.floor(Date.now() / 1000)

/** The command of each language. It takes the signature header and reads the body from stdin, bash from a file. */
const LANGUAGES: Record<string, (header: string, bodyFile: string) => [string, string[]]> = {
  Node: header => [process.execPath, [join(SNIPPETS, 'verify.mjs'), header]],
  Python: header => [needProgram('python3', 'python3'), [join(SNIPPETS, 'verify.py'), header]],
  PHP: header => [needProgram('php', 'php-cli'), [join(SNIPPETS, 'verify.php'), header]],
  Go: header => [goProgram(), [header]],
  bash: (header, bodyFile) => [needProgram('bash', 'bash'), [join(SNIPPETS, 'verify.sh'), header, bodyFile]],
}

let built: string | undefined

/** Compiled once: `go run` would compile for each case. */
function goProgram(): string {
  if (built !== undefined) return built
  built = join(folder, 'verify')
  const go = needProgram('go', 'golang-go')
  const env = { ...process.env, GOCACHE: join(folder, 'cache'), GOFLAGS: '-mod=mod', GO111MODULE: 'off' }
  const { status, stderr } = spawnSync(go, ['build', '-o', built, join(SNIPPETS, 'verify.go')], { env })
  if (status !== 0) throw new Error(stderr.toString())
  return built
}

function verify(language: string, header: string, body = BODY): { status: number | null; output: string } {
  const bodyFile = join(folder, 'body.json')
  writeFileSync(bodyFile, body)
  const [program, args] = LANGUAGES[language]!(header, bodyFile)
  const { status, stdout } = spawnSync(program, args, {
    input: body,
    env: { ...process.env, WEBHOOK_SECRET: SECRET },
  })
  return { status, output: stdout.toString().trim() }
}

describe.each(Object.keys(LANGUAGES))('the snippet for %s', language => {
  test('accepts a body that the secret has signed', () => {
    const t = now()
    expect(verify(language, `t=${t},v1=${sign(t)}`)).toEqual({ status: 0, output: 'valid' })
  })

  test('accepts either of two signatures during an overlap', () => {
    const t = now()
    expect(verify(language, `t=${t},v1=${sign(t, OLD_SECRET)},v1=${sign(t)}`).status).toBe(0)
  })

  test.each(
    cells(
      [
        ['another secret', (t: number) => `t=${t},v1=${sign(t, OLD_SECRET)}`],
        ['a changed body', (t: number) => `t=${t},v1=${sign(t, SECRET, Buffer.from('{}'))}`],
        ['another time', (t: number) => `t=${t + 1},v1=${sign(t)}`],
        ['a signature of ten minutes ago', (t: number) => `t=${t - 600},v1=${sign(t - 600)}`],
        ['a signature of ten minutes from now', (t: number) => `t=${t + 600},v1=${sign(t + 600)}`],
        ['no signature', (t: number) => `t=${t}`],
        ['a scheme that it does not know', (t: number) => `t=${t},v0=${sign(t)}`],
        ['no time', (t: number) => `v1=${sign(t)}`],
        ['an empty header', () => ''],
        ['rubbish', () => 't=abc,v1=zz,,=,v1'],
      ],
      4,
    ),
  )('rejects %s', (_name, header) => {
    expect(verify(language, header(now())).status).toBe(1)
  })
})
