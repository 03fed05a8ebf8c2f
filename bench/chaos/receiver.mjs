import { createServer } from 'node:http'
import { isSigned } from '../shared/signature.mjs'

/** The customers' servers: one path for each number, always healthy. */
export async function startReceiver(ledger) {
  const numbers = new Map()
  const server = createServer((request, response) => {
    const chunks = []
    request.on('data', chunk => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks)
      const number = numbers.get(request.url)
      // The gateway sends an event again that arrives before the number is known.
      if (number === undefined) return response.writeHead(503).end()
      ledger.note(number, JSON.parse(body), isSigned(request.headers, body, number.secret))
      response.writeHead(200).end()
    })
  })
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    add: number => numbers.set(number.path, number),
    urlOf: path => `http://127.0.0.1:${server.address().port}${path}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
