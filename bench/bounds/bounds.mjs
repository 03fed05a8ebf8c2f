import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openAccount, openStream, request, startGateway, until } from './gateway.mjs'
import { LEASE_MS, measureTakeover, sendAndWait } from './takeover.mjs'
import { bestOf, WORST } from './worst-inputs.mjs'

/**
 * Measures the gateway's limits in seconds and megabytes on the compiled program. No test asserts them, since a
 * machine may be slow. Prints each limit beside the measured value. Exits with 1 if a limit is exceeded.
 *
 * `npm run bench -- bounds`; on a machine that does nothing else.
 */
const measured = []
const note = (bound, most, value, unit = 'ms') => {
  measured.push({ bound, most, value, unit })
  console.log(`${value <= most ? ' ' : '!'} ${bound}: ${value.toFixed(0)} ${unit} (at most ${most})`)
}
const folder = mkdtempSync(join(tmpdir(), 'postern-bounds-'))
const receiver = createServer((incoming, response) => {
  incoming.resume().on('end', () => {
    arrivedAt = performance.now()
    response.end()
  })
})
await new Promise(resolve => receiver.listen(0, '127.0.0.1', resolve))
let arrivedAt

const gateway = await startGateway({ POSTERN_DATA_DIR: folder })
note('start to ready', 3_000, gateway.readyMs)
note('resident memory before the first number', 150, gateway.residentMb, 'MB')
const account = await openAccount(gateway.url)
const session = await account.ask('POST', '/v1/sessions', { platform: 'sandbox' })

await measureSendAt()
await measureRevocation()
await measureTail()
await measureSignOut()
await measureShutdown()
note('takeover after kill -9, with a message through each number', LEASE_MS + 2_000, await measureTakeover('SIGKILL'))
note('handover at SIGTERM, with a message through each number', 6_000, await measureTakeover('SIGTERM'))
for (const [name, work] of Object.entries(WORST)) note(name, 1_000, await bestOf(work))

console.log(`\n${['| bound | at most | measured |', '|---|---|---|', ...measured.map(row)].join('\n')}`)
receiver.close()
rmSync(folder, { recursive: true, force: true })
process.exit(measured.every(({ value, most }) => value <= most) ? 0 : 1)

function row({ bound, most, value, unit }) {
  const shown = `${value.toFixed(0)} ${unit}`
  return `| ${bound} | ${most} ${unit} | ${value <= most ? shown : `**${shown}**`} |`
}

async function measureSendAt() {
  const sendAt = Date.now() + 2_000
  const message = { session_id: session.id, to: '15551234567', text: 'later', send_at: new Date(sendAt).toISOString() }
  await sendAndWait(account, message)
  note('a scheduled message after its send_at', 1_000, Date.now() - sendAt)
}

/** How long a key that sends requests and reads a stream still works after its revocation. */
async function measureRevocation() {
  const { id, key } = await account.ask('POST', '/v1/keys', { label: 'to revoke' })
  const stream = await openStream(gateway.url, '/v1/deliveries/events', { authorization: `Bearer ${key}` })
  await account.ask('DELETE', `/v1/keys/${id}`)
  const began = performance.now()
  let endedAt
  const watching = until(() => stream.isOver).then(() => (endedAt = performance.now()))
  let lastAskedAt = began
  await until(async () => {
    const askedAt = performance.now()
    const { status } = await request(gateway.url, 'GET', '/v1/me', { key })
    if (status === 200) lastAskedAt = askedAt
    return status === 401
  })
  note('the last request of a key after its revocation', 1_000, lastAskedAt - began)
  await watching
  note('the end of its stream after the revocation', 1_000, endedAt - began)
}

async function measureTail() {
  const url = `http://127.0.0.1:${receiver.address().port}/`
  await account.ask('POST', '/v1/webhooks', { session_id: session.id, messages_url: url })
  const stream = await openStream(gateway.url, '/v1/deliveries/events', { authorization: `Bearer ${account.key}` })
  const text = { from: '15551230001', type: 'text', text: 'live' }
  await account.ask('POST', `/sandbox/sessions/${encodeURIComponent(session.id)}/incoming`, text)
  await until(() => stream.received.includes('"status":"delivered"'))
  note('the live tail after the delivery', 1_000, performance.now() - arrivedAt)
}

async function measureSignOut() {
  const token = await gateway.output(/\/sign-in#([\w-]+)/)
  const headers = { origin: gateway.url }
  const signedIn = await request(gateway.url, 'POST', '/portal/api/sign-in/link', { body: { token }, headers })
  const cookie = signedIn.headers.get('set-cookie').split(';')[0]
  const stream = await openStream(gateway.url, '/portal/api/live', { cookie })
  await request(gateway.url, 'POST', '/portal/api/sign-out', { body: {}, headers: { ...headers, cookie } })
  const began = performance.now()
  await until(() => stream.isOver)
  note('the end of a stream of the portal after the sign-out', 1_000, performance.now() - began)
}

async function measureShutdown() {
  const headers = { authorization: `Bearer ${account.key}` }
  await Promise.all(Array.from({ length: 20 }, () => openStream(gateway.url, '/v1/deliveries/events', headers)))
  const idle = connect(Number(new URL(gateway.url).port), '127.0.0.1')
  await new Promise(resolve => idle.once('connect', resolve))
  const began = performance.now()
  await gateway.end('SIGTERM')
  note('shutdown with 20 open streams and an idle connection', 10_000, performance.now() - began)
}
