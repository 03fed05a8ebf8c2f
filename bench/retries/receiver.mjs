import { createServer } from 'node:http'
import { answerParent } from '../shared/child.mjs'

/** An endpoint that counts how many requests it holds at once. */
let behaviour = { status: 200, afterMs: 0 }
let held = 0
let most = 0

const server = createServer((request, response) => {
  most = Math.max(most, ++held)
  const answer = () => {
    held--
    response.writeHead(behaviour.status).end()
  }
  request.resume().on('end', () => {
    if (behaviour.afterMs > 0) setTimeout(answer, behaviour.afterMs)
    else answer()
  })
})

answerParent({
  listen: () => new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(server.address().port))),
  behave: wanted => {
    behaviour = wanted
  },
  stats: () => ({ most }),
})
