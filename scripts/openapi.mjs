import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from './build.mjs'

/** Writes the committed copy of the interface's description; a stale one fails the tests. */
await build({ quiet: true })
const { makeOpenApi } = await import('../dist/http/openapi.js')
const root = dirname(dirname(fileURLToPath(import.meta.url)))
writeFileSync(join(root, 'openapi.json'), `${JSON.stringify(makeOpenApi('http://127.0.0.1:8080'), null, 2)}\n`)
console.log('openapi.json is written')
