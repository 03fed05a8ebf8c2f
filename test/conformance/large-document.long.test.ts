import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LinkedGateway, openLinkedGateway, type SandboxNumber } from '../harness/linked-gateway.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { newPlace } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

const MIB = 1_048_576
const BYTES = 1_024 * MIB
/** What the gateway may take for the file besides its usual memory: it has some of its pieces at a time. */
const MAX_MORE_BYTES = 150 * MIB

let folder: string
let linked: LinkedGateway
let number: SandboxNumber
let byId: Receiver

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'postern-large-'))
  linked = await openLinkedGateway(await newPlace('sqlite'), 1, { network: { largeFiles: folder } })
  number = linked.numbers[0]!
  byId = await startReceiver()
  await linked.ask('POST', '/v1/endpoints', { url: byId.url(), media: 'url' })
})
afterAll(async () => {
  await linked.close()
  await byId.close()
  rmSync(folder, { recursive: true, force: true })
})

test('A document of 1 GiB is uploaded, sent, opened by its recipient, received and downloaded, and the memory stays flat', async () => {
  const ana = linked.simulator.phone('5511900000001')
  // A first exchange, so that what any exchange needs is loaded before the memory is measured.
  await ana.sendTo(number.jid, { type: 'text', text: 'hello' })
  await sendDocument((await upload(Readable.from(content(MIB)), MIB)).id)
  const before = startPeak(linked.pid())
  const expected = await digestOf(content(BYTES))

  const uploaded = await upload(Readable.from(content(BYTES)), BYTES)
  expect(uploaded.size).toBe(BYTES)
  const afterUpload = peakOf(linked.pid())
  await sendDocument(uploaded.id)
  const held = await until(() => ana.inbox().at(-1))
  expect(await digestOf(ana.openLargeMedia(held.id))).toBe(expected)
  const afterSend = peakOf(linked.pid())

  const sent = await ana.sendLargeDocument(number.jid, 'large.bin', content(BYTES))
  const event = await until(() => byId.ledger.find(({ body }) => body.includes(sent.id)))
  const { media } = JSON.parse(event.body.toString())
  expect(media).toMatchObject({ data: '', status: 'remote', file_length: BYTES })
  const downloaded = await until(async () => {
    const answer = await open(`/v1/media/${media.id}`)
    if (answer.statusCode === 200) return answer
    answer.resume()
    expect(answer.statusCode).toBe(502)
    return undefined
  })
  expect(await digestOf(downloaded)).toBe(expected)
  const afterReceive = peakOf(linked.pid())
  const inMib = [before, afterUpload, afterSend, afterReceive].map(bytes => Math.round(bytes / MIB))
  console.log(`resident memory: ${inMib[0]} MiB before, then at most ${inMib.slice(1).join(', ')} MiB`)
  expect(afterReceive - before).toBeLessThan(MAX_MORE_BYTES)
})

/** The same bytes each time, which no piece repeats: a piece in the wrong place would be noticed. */
async function* content(bytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes; at += MIB) {
    const piece = Buffer.alloc(MIB, 0x61)
    piece.writeBigUInt64BE(BigInt(at))
    yield piece
  }
}

async function digestOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of chunks) hash.update(chunk)
  return hash.digest('hex')
}

async function upload(file: Readable, bytes: number): Promise<{ id: string; size: number }> {
  const headers = { 'content-type': 'application/octet-stream', 'content-length': bytes }
  const answer = await open('/v1/media?filename=large.bin', { method: 'POST', headers }, file)
  const body = (await json(answer)) as { id: string; size: number }
  expect(answer.statusCode, JSON.stringify(body)).toBe(201)
  return body
}

async function open(path: string, options: object = {}, file?: Readable): Promise<IncomingMessage> {
  const { url, key } = linked.address()
  const { headers, ...others } = options as { headers?: object }
  return await new Promise((resolve, reject) => {
    const asked = request(url + path, { ...others, headers: { ...headers, authorization: `Bearer ${key}` } })
    asked.on('error', reject).on('response', resolve)
    if (file === undefined) asked.end()
    else pipeline(file, asked, error => error && reject(error))
  })
}

async function sendDocument(id: string): Promise<void> {
  const body = { session_id: number.id, to: '5511900000001', media_type: 'document', media_id: id }
  const { json: accepted } = await linked.ask('POST', '/v1/messages', body)
  await until(async () => {
    const message = (await linked.ask('GET', `/v1/messages/${accepted.message_id}`)).json
    expect(message.state, message.detail).not.toBe('failed')
    return ['delivered', 'read'].includes(message.state)
  })
}

const statusOf = (pid: number, field: string): number =>
  Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1_024

/** Begins to measure the peak of the resident memory; returns what it is now. */
function startPeak(pid: number): number {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
  return statusOf(pid, 'VmRSS')
}

const peakOf = (pid: number): number => statusOf(pid, 'VmHWM')
