import { createAccount } from '../../dist/actions/create-account.js'
import { readConfig } from '../../dist/config.js'
import { sessionLease } from '../../dist/domain/lease.js'
import { startGateway } from '../../dist/gateway.js'
import { ApiLog } from '../../dist/http/api-log.js'
import { takeLease } from '../shared/take-lease.mjs'
import { UNLIMITED } from '../shared/unlimited.mjs'

/**
 * The gateway as shipped (fsync, sealing, logging, validation on), with one hosted number and no rate limit. On request
 * it omits its requests from the API log.
 */
let isLogged = true
const { add } = ApiLog.prototype
ApiLog.prototype.add = function (answered) {
  if (isLogged) add.call(this, answered)
}
const gateway = await startGateway(readConfig(process.env))
const { context } = gateway
const { account, apiKey } = await createAccount(context, {
  name: 'bench',
  plan: 'max',
  limits: UNLIMITED,
  acceptTos: true,
  keyLabel: 'bench',
})
const sessionId = '999100200300@s.whatsapp.net'
await context.store.sessions.registerSession({
  accountId: account.id,
  id: sessionId,
  phone: '999100200300',
  device: 1,
  label: '',
  platform: 'sandbox',
  maxSessions: null,
})
await takeLease(context.store, sessionLease(sessionId))
process.send({ port: Number(new URL(gateway.url).port), key: apiKey.key, sessionId })
process.on('message', message => {
  if (message === 'cpu') process.send(process.cpuUsage())
  else if (message === 'logged' || message === 'unlogged') isLogged = message === 'logged'
  else void gateway.stop().then(() => process.exit(0))
})
