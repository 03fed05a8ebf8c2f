import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lidJid, lidOf } from '@postern/simulator/jid'
import { generateMessageIDV2, makeWASocket, WA_CERT_DETAILS } from 'baileys'
import { decodeCreds, decodeKey, encodeKey } from '../../dist/platform/whatsapp/device/key-codec.js'
import { openDatabase } from '../../dist/store/sqlite/driver.js'
import { answerParent, eachOf } from '../shared/child.mjs'
import { contactOf } from '../shared/contacts.mjs'
import { measureMemory } from '../shared/measure-memory.mjs'

/** The baseline: the bare engine in one process. It uses the gateway's window of unacknowledged messages, and stores nothing. */
const WINDOW = 16
const LOGINS_AT_ONCE = 4
for (const name of ['log', 'info', 'warn', 'error']) console[name] = () => {}
const nothing = () => {}
const silent = {
  level: 'silent',
  child: () => silent,
  trace: nothing,
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
}
const sockets = []
let disk

/** Logs the devices in. */
async function open({ address, devices, keysOnDisk = false }) {
  WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(address.rootKey)
  const auths = devices.map(device => ({
    creds: decodeCreds(device.creds),
    keys: keysOnDisk ? diskKeys(device) : memoryKeys(device),
  }))
  await eachOf(auths, LOGINS_AT_ONCE, auth => login(address, auth))
}

async function login(address, auth) {
  const { url: waWebSocketUrl, clientVersion: version } = address
  // The engine would fetch parts of a history that are files from the servers of the real platform.
  const shouldSyncHistoryMessage = ({ directPath }) => !directPath
  const options = { logger: silent, waWebSocketUrl, version, emitOwnEvents: false, shouldSyncHistoryMessage }
  const sock = makeWASocket({ auth, ...options })
  const acks = new Map()
  sock.ws.on('CB:ack', ({ attrs }) => {
    acks.get(attrs.id)?.(attrs.error)
    acks.delete(attrs.id)
  })
  await sock.waitForConnectionUpdate(async ({ connection }) => connection === 'open')
  sockets.push({ sock, acks, again: () => login(address, auth) })
}

/** Closes every link and logs in again, as after a restart; returns how long the logins took. */
async function reopen() {
  const ended = sockets.splice(0)
  await Promise.all(ended.map(({ sock }) => sock.end(undefined)))
  const began = performance.now()
  await eachOf(ended, LOGINS_AT_ONCE, ({ again }) => again())
  return performance.now() - began
}

function memoryKeys(device) {
  const values = new Map()
  for (const { category, id, value } of device.keys)
    if (value) values.set(`${category}/${id}`, decodeKey(category, value))
  return keyStore(
    (category, id) => values.get(`${category}/${id}`),
    (category, id, value) =>
      value === undefined ? values.delete(`${category}/${id}`) : values.set(`${category}/${id}`, value),
  )
}

/** Keys on disk, to measure the memory of the engine itself. */
function diskKeys(device) {
  disk ??= openDisk()
  const { database } = disk
  const set = database.prepare('insert or replace into keys values (?, ?)')
  const get = database.prepare('select value from keys where name = ?')
  const remove = database.prepare('delete from keys where name = ?')
  const name = (category, id) => `${device.phone}/${category}/${id}`
  for (const { category, id, value } of device.keys) if (value) set.run(name(category, id), value)
  return keyStore(
    (category, id) => {
      const row = get.get(name(category, id))
      return row && decodeKey(category, row.value)
    },
    (category, id, value) =>
      value === undefined ? remove.run(name(category, id)) : set.run(name(category, id), encodeKey(category, value)),
  )
}

function openDisk() {
  const folder = mkdtempSync(join(tmpdir(), 'postern-bench-'))
  const database = openDatabase(join(folder, 'keys.db'), { readOnly: false })
  database.exec(
    'pragma journal_mode = wal; pragma synchronous = off; create table keys (name text primary key, value blob)',
  )
  return { database, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

function keyStore(read, write) {
  return {
    get: async (category, ids) =>
      Object.fromEntries(ids.map(id => [id, read(category, id)]).filter(([, value]) => value !== undefined)),
    set: async data => {
      for (const [category, entries] of Object.entries(data))
        for (const [id, value] of Object.entries(entries ?? {})) write(category, id, value ?? undefined)
    },
  }
}

/** Sends this many messages from each number and waits for acks; measures the rate from the first ack. */
async function send(perNumber) {
  let first
  let cpu
  let acked = 0
  await Promise.all(
    sockets.map(({ sock, acks }, n) =>
      eachOf(Array.from({ length: perNumber }), WINDOW, async (_, i) => {
        const messageId = generateMessageIDV2(sock.user.id)
        const ack = new Promise(resolve => acks.set(messageId, resolve))
        await sock.sendMessage(lidJid(lidOf(contactOf(n, i))), { text: 'x'.repeat(200) }, { messageId })
        const error = await ack
        if (error !== undefined) throw new Error(`rejected with ${error}`)
        acked++
        first ??= performance.now()
        cpu ??= process.cpuUsage()
      }),
    ),
  )
  const { user, system } = process.cpuUsage(cpu)
  return { rate: ((acked - 1) / (performance.now() - first)) * 1000, cpuMicros: (user + system) / acked }
}

answerParent({ open, reopen, send, memory: measureMemory }, async () => disk?.remove())
