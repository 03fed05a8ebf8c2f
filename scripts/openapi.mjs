import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from './build.mjs'

/** Writes the committed API descriptions; the tests fail if they are out of date. */
await build({ quiet: true })
const { makeOpenApi } = await import('../dist/http/openapi/openapi.js')
const { makePortalOpenApi } = await import('../dist/http/portal/portal-openapi.js')
const root = dirname(dirname(fileURLToPath(import.meta.url)))
const write = (path, document) => {
  writeFileSync(join(root, path), `${JSON.stringify(document, null, 2)}\n`)
  console.log(`wrote ${path}`)
}
write('openapi.json', makeOpenApi('http://127.0.0.1:8080'))
write('portal/openapi.json', makePortalOpenApi())
