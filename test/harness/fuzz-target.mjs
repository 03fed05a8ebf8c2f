import { main } from '../../dist/bundled/main.js'

/** The gateway, with a message that returns its memory use after a garbage collection. */
process.on('SIGUSR2', () => {
  for (let i = 0; i < 3; i++) globalThis.gc()
  setTimeout(() => {
    globalThis.gc()
    process.stderr.write(`resident ${process.memoryUsage.rss()}\n`)
  }, 200)
})

await main(['start'])
