import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { isApiKey } from '../../domain/api-key.ts'
import { GatewayClient } from '../gateway-client.ts'
import { refusalText } from '../refusal.ts'
import { limited, makeMcpServer } from './mcp-server.ts'

const PATH = '/mcp'
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/**
 * Streamable HTTP without a memory of its own: whoever asks brings a key with each request, which is handed on to the
 * gateway, and may do what that key may do.
 */
export async function serveHttp(gatewayUrl: string, at: { host: string; port: number }): Promise<Server> {
  const server = createServer((request, response) => {
    answer(gatewayUrl, request, response).catch(() => {
      if (!response.headersSent) refuse(response, 500, 'the request could not be answered')
      else response.destroy()
    })
  })
  server.listen(at.port, at.host)
  await once(server, 'listening')
  return server
}

export const addressOf = (server: Server): string => {
  const { address, family, port } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}${PATH}`
}

async function answer(gatewayUrl: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url?.split('?')[0] !== PATH) return refuse(response, 404, `MCP is at ${PATH}`)
  if (!isFromHere(request.headers.origin)) return refuse(response, 403, 'requests of web pages are not answered')
  // There is nothing to stream and no session to end between requests.
  if (request.method !== 'POST') return refuse(response, 405, 'only POST is answered', { allow: 'POST' })
  const key = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
  if (key === undefined) return refuseKey(response, 'an API key is missing: Authorization: Bearer ptn_…')
  // A token of this machine's own commands would be believed: the gateway is asked from this machine.
  if (!isApiKey(key)) return refuseKey(response, 'this is no API key: one is ptn_ and 40 letters and digits')
  const client = new GatewayClient(gatewayUrl, { authorization: `Bearer ${key}`, ...forwardedFor(request) })
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  const me = await client.endingWith(limited(gone.signal)).ask('GET', '/v1/me')
  if (me === undefined) return refuse(response, 502, 'the gateway does not answer')
  if (me.status === 401) return refuseKey(response, refusalText(me.json) ?? 'the gateway refuses this key')
  const server = makeMcpServer(() => Promise.resolve(client))
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
  response.on('close', () => void server.close())
  await server.connect(transport as Parameters<typeof server.connect>[0])
  await transport.handleRequest(request, response)
}

/** Who asks, behind whoever passed the request on already. */
function forwardedFor({ headers, socket }: IncomingMessage): { 'x-forwarded-for': string } {
  const passed = [headers['x-forwarded-for'] ?? [], socket.remoteAddress ?? []].flat()
  return { 'x-forwarded-for': passed.join(', ') }
}

/** Browsers say where a page is from; what runs on a machine does not. */
const isFromHere = (origin: string | undefined): boolean =>
  origin === undefined || (URL.canParse(origin) && LOOPBACK.includes(new URL(origin).hostname))

const refuseKey = (response: ServerResponse, text: string): void =>
  refuse(response, 401, text, { 'www-authenticate': 'Bearer' })

function refuse(response: ServerResponse, status: number, text: string, headers: Record<string, string> = {}): void {
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code: -32_000, message: text }, id: null })
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
}
