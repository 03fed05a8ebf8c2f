import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'

/** IPv4 addresses for a name, by the number of previous queries; undefined for no answer at all. */
export type Zone = (name: string, timesAsked: number) => { A?: string[]; AAAA?: string[]; cname?: string } | undefined

/** A DNS server on the loopback with a resolver that queries it. */
export async function dnsServer(zone: Zone): Promise<{ resolver: Resolver; asked(): number; close(): Promise<void> }> {
  const socket = createSocket('udp4')
  const times = new Map<string, number>()
  let asked = 0
  socket.on('message', (query, from) => {
    asked++
    const { name, type, end } = readQuestion(query)
    const key = `${name}/${type}`
    times.set(key, (times.get(key) ?? 0) + 1)
    const records = zone(name, times.get(key) ?? 1)
    if (records) socket.send(answerTo(query, end, type, records), from.port, from.address)
  })
  await new Promise<void>(resolve => socket.bind(0, '127.0.0.1', resolve))
  const resolver = new Resolver({ timeout: 60_000, tries: 1 })
  resolver.setServers([`127.0.0.1:${socket.address().port}`])
  return { resolver, asked: () => asked, close: () => new Promise(resolve => socket.close(() => resolve())) }
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = 12
  for (let size = query[at] ?? 0; size > 0; size = query[at] ?? 0) {
    labels.push(query.toString('ascii', at + 1, at + 1 + size).toLowerCase())
    at += 1 + size
  }
  return { name: labels.join('.'), type: query.readUInt16BE(at + 1), end: at + 5 }
}

function answerTo(query: Buffer, end: number, type: number, records: NonNullable<ReturnType<Zone>>): Buffer {
  const values = type === 1 ? (records.A ?? []).map(ipv4Bytes) : type === 28 ? (records.AAAA ?? []).map(ipv6Bytes) : []
  const answers = records.cname ? [record(5, nameBytes(records.cname))] : values.map(value => record(type, value))
  const header = Buffer.from(query.subarray(0, 12))
  header.writeUInt16BE(0x8180, 2)
  header.writeUInt16BE(answers.length, 6)
  header.writeUInt32BE(0, 8)
  return Buffer.concat([header, query.subarray(12, end), ...answers])
}

function record(type: number, value: Buffer): Buffer {
  const head = Buffer.from([0xc0, 0x0c, 0, type, 0, 1, 0, 0, 0, 0, 0, 0])
  head.writeUInt16BE(value.length, 10)
  return Buffer.concat([head, value])
}

function nameBytes(name: string): Buffer {
  return Buffer.concat([
    ...name.split('.').map(label => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.from([0]),
  ])
}

function ipv4Bytes(address: string): Buffer {
  return Buffer.from(address.split('.').map(Number))
}

function ipv6Bytes(address: string): Buffer {
  const [left = '', right = ''] = address.split('::')
  const [head, tail] = [left, right].map(part => part.split(':').filter(Boolean)) as [string[], string[]]
  const groups = [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => '0'), ...tail]
  return Buffer.concat(groups.map(group => Buffer.from(group.padStart(4, '0'), 'hex')))
}
