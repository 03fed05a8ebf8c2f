import { createServer } from 'node:http'

/** Takes webhooks on this machine and keeps what they say. */
export async function startReceiver() {
  const events = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', chunk => (body += chunk))
    request.on('end', () => {
      events.push({ id: request.headers['x-message-id'], signed: 'x-webhook-signature' in request.headers, body })
      response.end()
    })
  })
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${server.address().port}/hook`,
    /** Events about a message, each counted once however often it came. */
    about: messageId => new Map(events.filter(({ body }) => body.includes(messageId)).map(event => [event.id, event])),
    close: () => server.close(),
  }
}
