import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const PORTAL = join(import.meta.dirname, '..')

test('the types that the portal is written against are those of the committed interface', () => {
  const folder = mkdtempSync(join(tmpdir(), 'postern-schema-'))
  const output = join(folder, 'schema.d.ts')
  const cli = join(PORTAL, 'node_modules/openapi-typescript/bin/cli.js')
  const { status, stderr } = spawnSync(process.execPath, [cli, join(PORTAL, '../openapi.json'), '--output', output])
  expect(status, stderr.toString()).toBe(0)
  const fresh = readFileSync(output, 'utf8')
  rmSync(folder, { recursive: true })
  expect(
    readFileSync(join(PORTAL, 'src/api/schema.d.ts'), 'utf8') === fresh,
    'schema.d.ts is stale: run `npm run schema -w portal`',
  ).toBe(true)
})
