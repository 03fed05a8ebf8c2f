import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { json } from 'node:stream/consumers'
import { later, startChild } from '../shared/child.mjs'
import { contactOf, sandboxNumbers } from '../shared/contacts.mjs'
import { reportFigure } from '../shared/report-figure.mjs'
import { openStage } from '../shared/stage.mjs'

/**
 * The resident memory of a gateway while one document is uploaded, sent to a contact, received from the contact and
 * downloaded: the peak of each step above the memory before.
 *
 *   npm run bench -- media       MEDIA_MIB (1024)
 */
const MIB = 1_048_576
const BYTES = Number(process.env.MEDIA_MIB ?? 1_024) * MIB
const SAMPLE_MS = 20

const largeFiles = mkdtempSync(join(tmpdir(), 'postern-bench-large-'))
const receiver = startChild(new URL('receiver.mjs', import.meta.url))
const { url: receiverUrl } = await receiver.ask('open')
const stage = await openStage({ largeFiles })
const { gateway, network, url, key } = stage
const [digits] = sandboxNumbers(1, 1)
await stage.host(1)
const [sessionId] = stage.numbers
const contact = contactOf(0, 0)
await call('POST', '/v1/endpoints', { url: receiverUrl, media: 'url' })

// So that what any transfer needs is loaded before the memory is measured.
await send(await upload(MIB))
const before = (await gateway.ask('memory')).rss
let highest = before
let isDone = false
const sampling = sample()

let uploaded
await step('upload', async () => (uploaded = await upload(BYTES)))
await step('send', () => send(uploaded))
const { opened, expected } = await network.ask('openLarge', { contact, bytes: BYTES })
if (opened !== expected) throw new Error('the contact received another file')
const id = await network.ask('sendLarge', { contact, to: digits, bytes: BYTES })
const mediaId = await receiver.ask('mediaIdOf', id)
await step('receive and download', () => download(mediaId))
isDone = true
await sampling
const moreMib = (highest - before) / MIB
console.log(
  `${BYTES / MIB} MiB with at most ${moreMib.toFixed(0)} MiB more than the ${(before / MIB).toFixed(0)} MiB before`,
)
reportFigure('large-document', moreMib)
await stage.close()
await receiver.stop()
rmSync(largeFiles, { recursive: true, force: true })

async function sample() {
  while (!isDone) {
    highest = Math.max(highest, (await gateway.ask('usage')).rss)
    await later(SAMPLE_MS)
  }
}

async function step(name, work) {
  const began = performance.now()
  await work()
  const seconds = (performance.now() - began) / 1_000
  const rate = BYTES / MIB / seconds
  console.log(
    `${name}: ${seconds.toFixed(1)} s, ${rate.toFixed(0)} MiB/s; at most ${((highest - before) / MIB).toFixed(0)} MiB more so far`,
  )
}

async function upload(bytes) {
  const headers = { 'content-type': 'application/octet-stream', 'content-length': bytes }
  const response = await open('POST', '/v1/media', headers, Readable.from(zeros(bytes)))
  const { id: uploadId, error } = await json(response)
  if (response.statusCode !== 201) throw new Error(error)
  return uploadId
}

async function send(id) {
  const sent = await call('POST', '/v1/messages', {
    session_id: sessionId,
    to: contact,
    media_type: 'document',
    media_id: id,
  })
  for (;;) {
    const { state, detail } = await call('GET', `/v1/messages/${sent.message_id}`)
    if (['sent', 'delivered', 'read'].includes(state)) return
    if (state === 'failed') throw new Error(detail)
    await later(50)
  }
}

/** The gateway fetches a large received file when it is first asked for it. */
async function download(id) {
  for (;;) {
    const response = await open('GET', `/v1/media/${id}`)
    let bytes = 0
    for await (const chunk of response) bytes += chunk.length
    if (response.statusCode === 200 && bytes === BYTES) return
    if (response.statusCode !== 502) throw new Error(`${response.statusCode} with ${bytes} bytes`)
  }
}

async function call(method, path, body) {
  const response = await open(
    method,
    path,
    body && { 'content-type': 'application/json' },
    body && Readable.from([JSON.stringify(body)]),
  )
  const answer = await json(response)
  if (response.statusCode >= 400) throw new Error(answer.error)
  return answer
}

function open(method, path, headers, body) {
  return new Promise((resolve, reject) => {
    const asked = request(url + path, { method, headers: { ...headers, authorization: `Bearer ${key}` } })
    asked.on('error', reject).on('response', resolve)
    if (body === undefined) asked.end()
    else pipeline(body, asked, error => error && reject(error))
  })
}

function* zeros(bytes) {
  for (let at = 0; at < bytes; at += MIB) yield Buffer.alloc(Math.min(MIB, bytes - at))
}
