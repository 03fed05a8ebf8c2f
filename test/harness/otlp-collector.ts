import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A span as it came over the wire. */
export interface CollectedSpan {
  service: string
  instance: string
  name: string
  kind: number
  traceId: string
  spanId: string
  parentSpanId: string
  startMs: number
  endMs: number
  attributes: Record<string, string | number>
  failed: boolean
}

export interface Collector {
  url: string
  spans: CollectedSpan[]
  /** The body of the request, byte for byte. */
  bodies: Buffer[]
  requests: Array<{ path: string; headers: IncomingHttpHeaders }>
  close(): Promise<void>
}

/** A collector of OTLP over http in protobuf; with `status: null` it accepts everything and never responds. */
export async function startCollector(status: number | null = 200): Promise<Collector> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks)
      collector.bodies.push(body)
      collector.requests.push({ path: request.url!, headers: request.headers })
      collector.spans.push(...spansOf(body))
      if (status !== null) response.writeHead(status, { 'content-type': 'application/x-protobuf' }).end()
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const collector: Collector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: [],
    bodies: [],
    requests: [],
    close: () =>
      new Promise(resolve => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
  return collector
}

type Field = { number: number; value: Buffer | bigint }

/** The fields of one message, by protobuf's wire format. */
function* fieldsOf(bytes: Buffer): Generator<Field> {
  let at = 0
  const varint = (): bigint => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++]!
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  while (at < bytes.length) {
    const tag = Number(varint())
    const [number, type] = [tag >> 3, tag & 7]
    if (type === 0) yield { number, value: varint() }
    else {
      const length = type === 1 ? 8 : type === 5 ? 4 : Number(varint())
      yield { number, value: bytes.subarray(at, (at += length)) }
    }
  }
}

const all = (bytes: Buffer, number: number): Buffer[] =>
  [...fieldsOf(bytes)].filter(field => field.number === number).map(({ value }) => value as Buffer)
const one = (bytes: Buffer, number: number): Buffer => all(bytes, number)[0] ?? Buffer.alloc(0)
const number = (bytes: Buffer, of: number): number =>
  Number([...fieldsOf(bytes)].find(field => field.number === of)?.value ?? 0)
const ms = (bytes: Buffer): number => Number(bytes.readBigUInt64LE() / 1_000n) / 1_000

function attributesOf(bytes: Buffer, number: number): Record<string, string | number> {
  return Object.fromEntries(
    all(bytes, number).map(pair => {
      const [value] = [...fieldsOf(one(pair, 2))]
      return [one(pair, 1).toString(), value!.number === 1 ? (value!.value as Buffer).toString() : Number(value!.value)]
    }),
  )
}

function spansOf(request: Buffer): CollectedSpan[] {
  return all(request, 1).flatMap(resourceSpans => {
    const resource = attributesOf(one(resourceSpans, 1), 1)
    return all(resourceSpans, 2).flatMap(scope =>
      all(scope, 2).map(span => ({
        service: String(resource['service.name']),
        instance: String(resource['service.instance.id']),
        name: one(span, 5).toString(),
        kind: number(span, 6),
        traceId: one(span, 1).toString('hex'),
        spanId: one(span, 2).toString('hex'),
        parentSpanId: one(span, 4).toString('hex'),
        startMs: ms(one(span, 7)),
        endMs: ms(one(span, 8)),
        attributes: attributesOf(span, 9),
        failed: number(one(span, 15), 3) === 2,
      })),
    )
  })
}
