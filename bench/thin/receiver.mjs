import { createServer } from 'node:http'
import { answerParent } from '../shared/child.mjs'

/** An endpoint that counts what is posted to it. */
let count = 0
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    count++
    response.end('ok')
  })
})
await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
answerParent({ url: () => `http://127.0.0.1:${server.address().port}/hook`, count: () => count })
