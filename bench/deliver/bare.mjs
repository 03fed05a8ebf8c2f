import { openPosts } from '../shared/signed-post.mjs'

/** The baseline: undici pools that sign each body and post it, and store nothing. */
const IN_FLIGHT = 512
const body = Buffer.from(JSON.stringify({ kind: 'message', text: 'x'.repeat(850), pad: 'y'.repeat(100) }))
let serial = 0

async function run({ ports, seconds }) {
  const posts = openPosts(ports)
  let count = 0
  let counting = false
  let cpu
  const stopAt = performance.now() + (seconds + 1) * 1000
  setTimeout(() => {
    counting = true
    cpu = process.cpuUsage()
  }, 1000)
  const loop = async first => {
    for (let i = first; performance.now() < stopAt; i += IN_FLIGHT) {
      await posts.post(i, body, `m${serial++}`)
      if (counting) count++
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, (_, i) => loop(i)))
  const { user, system } = process.cpuUsage(cpu)
  await posts.close()
  process.send({ rate: count / seconds, cpuMicros: (user + system) / count })
}

process.on('message', message => void run(message))
process.send({ ready: true })
