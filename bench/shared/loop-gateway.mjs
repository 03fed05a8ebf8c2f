import { createServer } from 'node:http'
import { createAccount } from '../../dist/actions/create-account.js'
import { readConfig } from '../../dist/config.js'
import { sessionLease } from '../../dist/domain/lease.js'
import { startGateway } from '../../dist/gateway.js'
import { answerParent } from './child.mjs'
import { longestBlock } from './loop-probe.mjs'
import { takeLease } from './take-lease.mjs'
import { UNLIMITED } from './unlimited.mjs'

/** The gateway with its api role, and a bare server that reads and parses a body; measures how long each blocks its loop. */
const bare = createServer((request, response) => {
  const pieces = []
  request.on('data', piece => pieces.push(piece))
  request.on('end', () => {
    try {
      JSON.parse(Buffer.concat(pieces).toString() || '{}')
    } catch {
      // The request is rejected anyway.
    }
    response.writeHead(400).end('{}')
  })
  request.on('error', () => {})
})
let gateway
let over
let watched

answerParent(
  {
    async start(isBare) {
      if (isBare) {
        await new Promise(resolve => bare.listen(0, '127.0.0.1', resolve))
        return { url: `http://127.0.0.1:${bare.address().port}`, key: 'none' }
      }
      gateway = await startGateway(readConfig(process.env))
      const { context } = gateway
      const { account, apiKey } = await createAccount(context, {
        name: 'bench',
        plan: 'max',
        limits: UNLIMITED,
        acceptTos: true,
        keyLabel: 'bench',
      })
      const sessionId = '999100200300@s.whatsapp.net'
      const session = { id: sessionId, phone: '999100200300', device: 1, label: '', platform: 'sandbox' }
      await context.store.sessions.registerSession({ accountId: account.id, ...session, maxSessions: null })
      await takeLease(context.store, sessionLease(sessionId))
      return { url: gateway.localUrl, key: apiKey.key, sessionId }
    },
    async begin() {
      watched = longestBlock(() => new Promise(resolve => (over = resolve)))
    },
    async end() {
      over()
      return (await watched).longest
    },
  },
  async () => {
    await gateway?.stop()
  },
)
