import { main } from '../../dist/cli/main.js'

/** `postern start`, and no longer than whoever started it lives. */
process.on('disconnect', () => process.exit(1))
process.channel.unref()
await main(['start'])
