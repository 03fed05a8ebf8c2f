import { createServer } from 'node:http'

/** A customer's endpoint that responds with 200, with 500, or not at all. */
export async function startReceiver() {
  const held = new Set()
  let mood = 'well'
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => {
      if (mood === 'silent') held.add(response)
      else response.writeHead(mood === 'well' ? 200 : 500).end()
    })
  })
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${server.address().port}/hook`,
    be: next => {
      mood = next
      for (const response of held) response.writeHead(200).end()
      held.clear()
    },
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
