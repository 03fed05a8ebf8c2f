import { main } from '../../dist/cli/main.js'

/** The gateway, and a way to ask how much memory it holds once everything dead is collected. */
process.on('SIGUSR2', () => {
  for (let i = 0; i < 3; i++) globalThis.gc()
  setTimeout(() => {
    globalThis.gc()
    process.stderr.write(`resident ${process.memoryUsage.rss()}\n`)
  }, 200)
})

await main(['start'])
