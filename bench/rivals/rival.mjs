import { createRequire } from 'node:module'
import { join } from 'node:path'
import { measureFlow } from '../shared/flow.mjs'
import { openPosts } from '../shared/signed-post.mjs'
import { textEvent } from '../shared/text-event.mjs'

/** Loads a package from the folder into which the benchmark has installed it. */
export const load = name => createRequire(join(process.env.RIVALS_DIR, 'package.json'))(name)

/** The limit of requests in flight, the same as for the bare baseline. */
export const IN_FLIGHT = 512

/** The same payload as in the gateway's benchmark. */
const textOf = id => JSON.stringify(textEvent('999100200000@s.whatsapp.net', id))

/**
 * A rival's process. `open` gets a function that makes one delivery (signs, posts, throws if the endpoint does not respond
 * with 200) and one to report that its result is recorded; it returns `add`, which resolves when a job is durable, and `close`.
 */
export function runRival(open) {
  let recorded = 0
  let serial = 0
  let posts
  let rival
  const parts = {
    deliver: ({ endpoint, body, id }) => posts.post(endpoint, Buffer.from(body), id),
    recorded: (count = 1) => {
      recorded += count
    },
  }
  const publish = () => {
    const id = `m${serial++}`
    return rival.add({ endpoint: serial, id, body: textOf(id) })
  }
  const obey = async message => {
    if (message.ports) {
      posts = openPosts(message.ports)
      rival = await open(parts)
      process.send({ subscribed: true })
    }
    if (message.flow) process.send(await measureFlow(message.flow, publish, () => recorded))
    if (message.stop) {
      await rival.close()
      await posts.close()
      process.exit(0)
    }
  }
  process.on('message', message => void obey(message))
  process.on('disconnect', () => process.exit(1))
  process.send({ ready: true })
}
