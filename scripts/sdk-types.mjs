import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Writes the types of the client library from the committed openapi.json, with its digest. */
const root = resolve(import.meta.dirname, '..')
const output = join(root, 'sdk/src/schema.ts')
const cli = join(root, 'portal/node_modules/openapi-typescript/bin/cli.js')
// A field with a default is optional.
const args = [cli, join(root, 'openapi.json'), '--default-non-nullable=false', '--output', output]
const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' })
if (status !== 0) process.exit(status ?? 1)
const digest = createHash('sha256')
  .update(readFileSync(join(root, 'openapi.json')))
  .digest('hex')
writeFileSync(output, `// sha256 of openapi.json: ${digest}\n${readFileSync(output, 'utf8')}`)
