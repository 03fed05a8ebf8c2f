import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { filesOf } from './describe.mjs'

/**
 * Generates the fields and calls of the node from the gateway's openapi.json, and the remedies from its list of errors. Build
 * the gateway first: the tests fail if a generated file is out of date.
 */
const here = dirname(dirname(fileURLToPath(import.meta.url)))
const folder = join(here, 'nodes/Postern/descriptions')
const { ERROR_DOCS } = await import('../../../dist/http/openapi/error-docs.js')
const files = filesOf(JSON.parse(readFileSync(join(here, '../../openapi.json'), 'utf8')), ERROR_DOCS)

mkdirSync(folder, { recursive: true })
for (const name of readdirSync(folder)) if (files[name] === undefined) rmSync(join(folder, name))
for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
console.log(`${Object.keys(files).length} files in nodes/Postern/descriptions`)
