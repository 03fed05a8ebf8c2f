import { createServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'

/** Receives webhooks on this machine and keeps the events. */
export async function startReceiver({ host = '127.0.0.1', tls } = {}) {
  const events = []
  const take = (request, response) => {
    let body = ''
    request.on('data', chunk => (body += chunk))
    request.on('end', () => {
      events.push({ id: request.headers['x-message-id'], signed: 'x-webhook-signature' in request.headers, body })
      response.end()
    })
  }
  const server = tls === undefined ? createServer(take) : createSecureServer(tls, take)
  await new Promise(resolve => server.listen(0, host, resolve))
  return {
    url: `${tls === undefined ? 'http' : 'https'}://${host}:${server.address().port}/hook`,
    /** Events about a message, without repeated deliveries. */
    about: messageId => new Map(events.filter(({ body }) => body.includes(messageId)).map(event => [event.id, event])),
    close: () => server.close(),
  }
}
