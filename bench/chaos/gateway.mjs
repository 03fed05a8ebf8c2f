import { join } from 'node:path'

/** Runs `postern start` of the version in a folder, and exits with its parent. */
process.on('disconnect', () => process.exit(1))
process.channel.unref()
const { main } = await import(join(process.argv[2], 'dist/bundled/main.js'))
await main(['start'])
