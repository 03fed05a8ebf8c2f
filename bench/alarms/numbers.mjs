import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { later, startChild } from '../shared/child.mjs'
import { sandboxNumbers } from '../shared/contacts.mjs'
import { freePort } from '../../scripts/shared/free-port.mjs'

const COUNT = 10
const CONTACT = '15550001234'
const REFUSED = '15550000463'

/** One process with every role on the embedded database, and ten numbers on a simulated network that can inject every fault. */
export async function startNumbers(token, receiver) {
  const dataDir = mkdtempSync(join(tmpdir(), 'postern-alarms-numbers-'))
  const port = await freePort()
  const network = startChild(new URL('./network.mjs', import.meta.url))
  const address = await network.ask('open')
  const gateway = startChild(new URL('../shared/sandbox-gateway.mjs', import.meta.url), {
    POSTERN_DATA_DIR: dataDir,
    POSTERN_PORT: String(port),
    POSTERN_ROLES: 'api,worker,dispatcher',
    POSTERN_SANDBOX: 'on',
    POSTERN_OPERATOR_TOKEN: token,
    POSTERN_RETRY_DELAYS: '1s,1s,1s',
    POSTERN_MAX_SESSIONS: String(COUNT),
    POSTERN_LEASE_TTL: '30s',
    // Longer than any link is cut: a number that is given up accepts no sends.
    POSTERN_DISCONNECT_GRACE: '3m',
    POSTERN_LOG_LEVEL: 'error',
  })
  await gateway.ask('findNetwork', address)
  const { url, key } = await gateway.ask('register')
  const [digits, spare] = [sandboxNumbers(7, COUNT), sandboxNumbers(8, 2)]
  const devices = await network.ask('pair', [...digits, ...spare])
  const numbers = await gateway.ask('adopt', { devices: devices.slice(0, COUNT), webhookUrl: receiver.url })
  await gateway.ask('untilConnected', COUNT)
  const ask = (method, path, body) =>
    fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
  let spares = []
  const idOf = n => numbers[n].sessionId
  const stateOf = async n => (await (await ask('GET', `/v1/sessions/${encodeURIComponent(idOf(n))}`)).json()).state
  /** Polls for ten seconds. */
  const untilState = async (n, isRight) => {
    for (let left = 200; !isRight(await stateOf(n)); left--) {
      if (left === 0) throw new Error(`number ${n} is still ${await stateOf(n)}`)
      await later(50)
    }
  }
  return {
    target: `127.0.0.1:${port}`,
    digits,
    fault: (name, ...args) => network.ask('fault', { name, args }),
    restart: n => ask('POST', `/v1/sessions/${encodeURIComponent(idOf(n))}/restart`),
    remove: n => ask('DELETE', `/v1/sessions/${encodeURIComponent(idOf(n))}`),
    untilLinked: n => untilState(n, state => state === 'connected'),
    untilCut: n => untilState(n, state => state !== 'connected'),
    keepOnly: async n => {
      const others = [...numbers, ...spares].filter(number => number !== numbers[n])
      for (const { sessionId } of others) await ask('DELETE', `/v1/sessions/${encodeURIComponent(sessionId)}`)
    },
    adoptSpares: async () => {
      spares = await gateway.ask('adopt', { devices: devices.slice(COUNT), webhookUrl: receiver.url })
    },
    send: (n, count, to = CONTACT) => sendMany(ask, idOf(n), count, to),
    sendRefused: (n, count) => sendMany(ask, idOf(n), count, REFUSED),
    stop: async () => {
      await gateway.stop()
      await network.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

async function sendMany(ask, sessionId, count, to) {
  for (let n = 0; n < count; n++) {
    const body = { session_id: sessionId, to, text: `message ${n}` }
    let answer = await ask('POST', '/v1/messages', body)
    // On a busy machine a number may lose its lease briefly.
    for (let left = 60; left > 0 && answer.status !== 202; left--) {
      await later(500)
      answer = await ask('POST', '/v1/messages', body)
    }
    if (answer.status !== 202) throw new Error(`a send was answered ${answer.status}: ${await answer.text()}`)
    if (n % 50 === 49) await later(1)
  }
}
