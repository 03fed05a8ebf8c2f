import { createHash } from 'node:crypto'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cells } from '../../test/harness/matrix.ts'

const PORTAL = join(import.meta.dirname, '..')
const read = (path: string): string => readFileSync(join(PORTAL, path), 'utf8')

test('the types of the client library name the digest of the committed interface', () => {
  const digest = createHash('sha256').update(read('../openapi.json')).digest('hex')
  expect(read('../sdk/src/schema.ts'), 'run `npm run schema -w portal`').toContain(
    `// sha256 of openapi.json: ${digest}\n`,
  )
})

test.each(
  cells([
    ['the committed routes of the portal alone', 'openapi.json', 'src/api/portal-schema.d.ts', []],
    ['the committed interface', '../openapi.json', '../sdk/src/schema.ts', ['--default-non-nullable=false']],
  ] as const),
)('the types of the portal match %s', (_name, document, types, options) => {
  const folder = mkdtempSync(join(tmpdir(), 'postern-schema-'))
  const output = join(folder, 'fresh.d.ts')
  const cli = join(PORTAL, 'node_modules/openapi-typescript/bin/cli.js')
  const { status, stderr } = spawnSync(process.execPath, [cli, join(PORTAL, document), ...options, '--output', output])
  expect(status, stderr.toString()).toBe(0)
  const fresh = readFileSync(output, 'utf8')
  rmSync(folder, { recursive: true })
  expect(
    read(types).replace(/^\/\/ sha256 .*\n/, '') === fresh,
    `${types} is stale: run \`npm run schema -w portal\``,
  ).toBe(true)
})
