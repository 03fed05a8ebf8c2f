import { main } from '../../dist/bundled/main.js'

/** The gateway, with a message that returns its memory use after a garbage collection. */
process.on('SIGUSR2', () => {
  for (let i = 0; i < 3; i++) globalThis.gc()
  setTimeout(() => {
    globalThis.gc()
    const { heapUsed, external, rss } = process.memoryUsage()
    process.stderr.write(`memory ${JSON.stringify({ heap: heapUsed + external, resident: rss })}\n`)
  }, 200)
})

await main(['start'])
