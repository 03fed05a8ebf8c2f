#!/usr/bin/env node
import { build } from '../scripts/build.mjs'

await build({ quiet: false })
const { main } = await import('../dist/cli/main.js')
await main(process.argv.slice(2))
