#!/usr/bin/env node
import { existsSync } from 'node:fs'

// A clone builds itself; the package comes built, without what builds it.
const builder = new URL('../scripts/build.mjs', import.meta.url)
if (existsSync(builder)) {
  const { build } = await import(builder.href)
  await build({ quiet: false })
}
const { main } = await import('../dist/bundled/main.js')
await main(process.argv.slice(2))
