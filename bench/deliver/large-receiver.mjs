import { createPrivateKey } from 'node:crypto'
import { createServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { createServerCertificate } from '@postern/simulator/media/x509'
import { answerParent } from '../shared/child.mjs'

/** A receiver over HTTP and HTTPS. It responds with 1 KB, which the sender compares with what it sent. */
const ANSWER = 'thank you, '.repeat(90)

function receive(request, response) {
  request.resume().on('end', () => response.writeHead(request.url === '/broken' ? 500 : 200).end(ANSWER))
}

const listening = server => new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(server.address().port)))

async function listen(authority) {
  const { certificate, privateKey } = createServerCertificate(authority, createPrivateKey(authority.privateKey), [
    '127.0.0.1',
  ])
  return {
    http: await listening(createServer(receive)),
    https: await listening(createSecureServer({ cert: certificate, key: privateKey }, receive)),
  }
}

answerParent({ listen })
