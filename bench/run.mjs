import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from '../scripts/build.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const [name, ...rest] = process.argv.slice(2)
const file = join(here, `${name}`, `${name}.mjs`)
if (name === undefined || !existsSync(file)) {
  console.error(
    'usage: npm run bench -- accept | send | deliver | hanging | retries | ledger | portal | queries | routes | loop | strangers',
  )
  process.exit(1)
}
await build({ quiet: true })
process.exit(spawnSync(process.execPath, [file, ...rest], { stdio: 'inherit' }).status ?? 1)
