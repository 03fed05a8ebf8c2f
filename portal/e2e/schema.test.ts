import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const PORTAL = join(import.meta.dirname, '..')

test.each([
  ['the committed interface', '../openapi.json', '../sdk/src/schema.ts', ['--default-non-nullable=false']],
  ['the committed routes of the portal alone', 'openapi.json', 'src/api/portal-schema.d.ts', []],
])('the types of the portal match %s', (_name, document, types, options) => {
  const folder = mkdtempSync(join(tmpdir(), 'postern-schema-'))
  const output = join(folder, 'fresh.d.ts')
  const cli = join(PORTAL, 'node_modules/openapi-typescript/bin/cli.js')
  const { status, stderr } = spawnSync(process.execPath, [cli, join(PORTAL, document), ...options, '--output', output])
  expect(status, stderr.toString()).toBe(0)
  const fresh = readFileSync(output, 'utf8')
  rmSync(folder, { recursive: true })
  expect(
    readFileSync(join(PORTAL, types), 'utf8').replace(/^\/\/ sha256 .*\n/, '') === fresh,
    `${types} is stale: run \`npm run schema -w portal\``,
  ).toBe(true)
})
