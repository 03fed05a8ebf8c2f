import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { BufferJSON, makeWASocket, WA_CERT_DETAILS } from 'baileys'
import { decodeCreds, decodeKey } from '../../dist/platform/whatsapp/device/key-codec.js'
import { answerParent, eachOf } from '../shared/child.mjs'
import { measureUsage } from '../shared/measure-memory.mjs'

/**
 * The baseline: the least gateway that one could write. The library, an HTTP server, `fetch` for each event with two more
 * tries in memory, credentials in files. It stores no message and no event, and loses both in a restart.
 */
for (const name of ['log', 'info', 'warn', 'error']) console[name] = () => {}
const nothing = () => {}
const silent = { level: 'silent', child: () => silent }
for (const level of ['trace', 'debug', 'info', 'warn', 'error']) silent[level] = nothing
const folder = mkdtempSync(join(tmpdir(), 'postern-bench-'))
const sockets = new Map()
let webhookUrl

async function open({ address, devices, webhook }) {
  WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(address.rootKey)
  webhookUrl = webhook
  await eachOf(devices, 4, device => login(address, device))
}

async function login({ url: waWebSocketUrl, clientVersion: version }, device) {
  const auth = { creds: decodeCreds(device.creds), keys: fileKeys(device) }
  // Files of the history are on the media server of the simulator, which the library does not know.
  const shouldSyncHistoryMessage = ({ directPath }) => !directPath
  const sock = makeWASocket({ auth, logger: silent, waWebSocketUrl, version, shouldSyncHistoryMessage })
  sock.ev.on('creds.update', () =>
    writeFileSync(join(folder, `${device.phone}.json`), JSON.stringify(auth.creds, BufferJSON.replacer)),
  )
  sock.ev.on('messages.upsert', ({ messages }) => {
    for (const { key, message, pushName } of messages) {
      if (key.fromMe) void post({ kind: 'status', id: key.id, status: 'sent' })
      else void post({ kind: 'message', id: key.id, from: key.remoteJid, name: pushName, message })
    }
  })
  sock.ev.on('messages.update', updates => {
    for (const { key, update } of updates)
      if (update.status !== undefined) void post({ kind: 'status', id: key.id, status: update.status })
  })
  await sock.waitForConnectionUpdate(async ({ connection }) => connection === 'open')
  sockets.set(device.sessionId, sock)
}

function fileKeys(device) {
  const own = join(folder, device.phone)
  mkdirSync(own)
  const fileOf = (category, id) => join(own, `${category}-${id.replaceAll(/[/:]/g, '_')}.json`)
  const write = (category, id, value) => {
    if (value === null || value === undefined) rmSync(fileOf(category, id), { force: true })
    else writeFileSync(fileOf(category, id), JSON.stringify(value, BufferJSON.replacer))
  }
  for (const { category, id, value } of device.keys) if (value) write(category, id, decodeKey(category, value))
  const read = (category, id) => {
    try {
      return JSON.parse(readFileSync(fileOf(category, id), 'utf8'), BufferJSON.reviver)
    } catch {
      return undefined
    }
  }
  return {
    get: async (category, ids) =>
      Object.fromEntries(ids.map(id => [id, read(category, id)]).filter(([, value]) => value !== undefined)),
    set: async data => {
      for (const [category, entries] of Object.entries(data))
        for (const [id, value] of Object.entries(entries ?? {})) write(category, id, value)
    },
  }
}

async function post(event, triesLeft = 2) {
  const options = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(event) }
  try {
    const response = await fetch(webhookUrl, options)
    await response.arrayBuffer()
  } catch {
    if (triesLeft > 0) setTimeout(() => void post(event, triesLeft - 1), 1_000)
  }
}

async function send(request, response) {
  const { session_id, to, text } = await json(request)
  const sock = sockets.get(session_id)
  const number = `${to}@s.whatsapp.net`
  // The platform refuses numbers of people who have a hidden identifier.
  const jid = (await sock.signalRepository.lidMapping.getLIDForPN(number)) ?? number
  const sent = await sock.sendMessage(jid, { text })
  response.writeHead(202, { 'content-type': 'application/json' }).end(JSON.stringify({ message_id: sent.key.id }))
}

const server = createServer((request, response) => {
  send(request, response).catch(error => response.writeHead(500).end(JSON.stringify({ error: error.message })))
})
await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
const url = `http://127.0.0.1:${server.address().port}`

answerParent({ open, url: () => url, usage: measureUsage }, async () => rmSync(folder, { recursive: true }))
