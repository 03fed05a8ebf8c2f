import { Agent, get } from 'node:http'
import { answerParent, later } from '../shared/child.mjs'

/** Requests `/healthz` repeatedly, each time on a new connection, and returns the slowest response time. */
answerParent({
  async ask({ url, ms }) {
    let longest = 0
    for (const until = performance.now() + ms; performance.now() < until; ) {
      const asked = performance.now()
      await new Promise((resolve, reject) => {
        get(`${url}/healthz`, { agent: new Agent() }, response => response.resume().once('end', resolve)).once(
          'error',
          reject,
        )
      })
      longest = Math.max(longest, performance.now() - asked)
      await later(10)
    }
    return longest
  },
})
