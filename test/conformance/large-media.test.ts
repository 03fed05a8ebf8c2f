import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { get, type IncomingMessage, request } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LinkedGateway, openLinkedGateway, type SandboxNumber } from '../harness/linked-gateway.ts'
import { inSize } from '../harness/matrix.ts'
import { newPlace } from '../harness/stores.ts'

const MIB = 1_048_576
/** More than a URL may bring. The network keeps files up to 128 MiB, and checks the hash of larger ones. */
const SIZE = inSize(72 * MIB, 1_024 * MIB)
/** Far less than the file, and more than garbage collection varies. */
const MAX_GROWTH = 256 * MIB

let linked: LinkedGateway
let number: SandboxNumber

beforeAll(async () => {
  linked = await openLinkedGateway(await newPlace('sqlite'), 1)
  number = linked.numbers[0]!
})
afterAll(() => linked.close())

const CHUNK = Buffer.from(Array.from({ length: MIB }, (_, at) => (at * 7 + (at >> 8)) % 251))
const hash = createHash('sha256')
for (let at = 0; at < SIZE; at += MIB) hash.update(CHUNK)
const EXPECTED = hash.digest('hex')

function* chunks() {
  for (let at = 0; at < SIZE; at += MIB) yield CHUNK
}

const answerOf = (asked: ReturnType<typeof request>): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => asked.on('response', resolve).on('error', reject))

async function upload(): Promise<{ id: string; size: number }> {
  const { url, key } = linked.access
  const headers = {
    authorization: `Bearer ${key}`,
    'content-length': SIZE,
    'content-type': 'application/x-iso9660-image',
  }
  const asked = request(`${url}/v1/media?filename=disk.iso`, { method: 'POST', headers, agent: false })
  const answered = answerOf(asked)
  await pipeline(Readable.from(chunks()), asked)
  return JSON.parse(Buffer.concat(await (await answered).toArray()).toString())
}

async function hashOfDownload(id: string): Promise<string> {
  const { url, key } = linked.access
  const response = await answerOf(
    get(`${url}/v1/media/${id}`, { headers: { authorization: `Bearer ${key}` }, agent: false }),
  )
  const received = createHash('sha256')
  for await (const chunk of response) received.update(chunk as Buffer)
  return received.digest('hex')
}

/** The memory of the gateway's process, in bytes. */
const rss = (): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${linked.access.pid}/status`, 'utf8'))![1]) * 1_024

/** Runs the work and returns the most memory that the gateway had meanwhile. */
async function peakDuring(work: () => Promise<void>): Promise<number> {
  let peak = rss()
  const sampling = setInterval(() => (peak = Math.max(peak, rss())), 50)
  try {
    await work()
  } finally {
    clearInterval(sampling)
  }
  return Math.max(peak, rss())
}

describe('A document that is larger than a URL may bring', () => {
  test('is uploaded, sent and downloaded without being in memory', async () => {
    const before = rss()
    let id = ''
    const ana = linked.simulator.phone('5511900000001')
    const peak = await peakDuring(async () => {
      const media = await upload()
      expect(media.size).toBe(SIZE)
      id = media.id
      const body = { session_id: number.id, to: ana.jid, media_type: 'document', media_id: id }
      const { json } = await linked.ask('POST', '/v1/messages', body)
      await linked.receiver.until(ledger => ledger.some(({ body }) => body.includes(json.message_id)))
      const told = linked.receiver.ledger.find(({ body }) => body.includes(json.message_id))!
      expect(JSON.parse(told.body.toString())).toMatchObject({ kind: 'status', status: 'sent' })
      expect(await hashOfDownload(id)).toBe(EXPECTED)
    })
    if (process.env.TEST_LONG === '1')
      process.stdout.write(`RSS: ${before / MIB} MiB before, ${peak / MIB} MiB at most\n`)
    expect(peak - before).toBeLessThan(MAX_GROWTH)
    const held = await linked.simulator.until(() => ana.inbox().find(({ from }) => from === number.jid))
    if (SIZE <= 128 * MIB) expect(createHash('sha256').update(ana.openMedia(held.id)).digest('hex')).toBe(EXPECTED)
    expect(held.message.documentMessage).toMatchObject({ fileName: 'disk.iso' })
    expect(Number(held.message.documentMessage!.fileLength)).toBe(SIZE)
  })
})
