import { join } from 'node:path'

/** `postern start` of the version in a folder, and no longer than whoever started it lives. */
process.on('disconnect', () => process.exit(1))
process.channel.unref()
const { main } = await import(join(process.argv[2], 'dist/cli/main.js'))
await main(['start'])
