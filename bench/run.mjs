import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from '../scripts/build.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const fileOf = name => join(here, name, `${name}.mjs`)
const [name = 'all', ...rest] = process.argv.slice(2)
if (!existsSync(fileOf(name))) {
  const names = readdirSync(here).filter(each => existsSync(fileOf(each)))
  console.error(`usage: npm run bench [-- ${names.join(' | ')}]`)
  process.exit(name === '--help' ? 0 : 1)
}
await build({ quiet: true })
process.exit(spawnSync(process.execPath, [fileOf(name), ...rest], { stdio: 'inherit' }).status ?? 1)
