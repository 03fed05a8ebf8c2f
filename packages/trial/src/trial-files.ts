import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const WEBP = 'UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA'
const PDF = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 72 72]>>endobj
trailer<</Root 1 0 R>>
%%EOF
`

/** A second of silence. */
function wav(): Buffer {
  const samples = 8_000
  const head = Buffer.alloc(44)
  head.write('RIFF    WAVEfmt ', 'latin1')
  head.writeUInt32LE(36 + samples, 4)
  head.set(Buffer.from('1000000001000100401f0000401f000001000800', 'hex'), 16)
  head.write('data', 36, 'latin1')
  head.writeUInt32LE(samples, 40)
  return Buffer.concat([head, Buffer.alloc(samples, 128)])
}

const FILES: ReadonlyMap<string, { type: string; body: Buffer }> = new Map([
  ['/image', { type: 'image/png', body: Buffer.from(PNG, 'base64') }],
  ['/sticker', { type: 'image/webp', body: Buffer.from(WEBP, 'base64') }],
  ['/document', { type: 'application/pdf', body: Buffer.from(PDF) }],
  ['/audio', { type: 'audio/wav', body: wav() }],
])

/** Serves small files for the gateway to fetch, and accepts every webhook. */
export interface TrialServer {
  url(path: string): string
  close(): void
}

export async function serveTrial(): Promise<TrialServer> {
  const server = createServer((request, response) => {
    request.resume()
    const file = FILES.get(request.url ?? '')
    if (request.method === 'POST') response.writeHead(200).end()
    else if (file === undefined) response.writeHead(404).end()
    else response.writeHead(200, { 'content-type': file.type }).end(file.body)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: path => `http://127.0.0.1:${port}${path}`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
