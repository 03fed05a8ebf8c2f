import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { errorText, GatewayApi } from './gateway-api.ts'
import { limited, makeMcpServer } from './mcp-server.ts'

const PATH = '/mcp'
const API_KEY = /^ptn_[A-Za-z0-9]{40}$/
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

interface HttpDeps {
  gatewayUrl: string
  version: string
}

/** Stateless streamable HTTP: each request carries the caller's API key, which the server passes on to the gateway. */
export async function serveHttp(deps: HttpDeps, at: { host: string; port: number }): Promise<Server> {
  const server = createServer((request, response) => {
    respond(deps, request, response).catch(() => {
      if (!response.headersSent) reject(response, 500, 'the request could not be answered')
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

async function respond(
  { gatewayUrl, version }: HttpDeps,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.url?.split('?')[0] !== PATH) return reject(response, 404, `MCP is at ${PATH}`)
  if (!isFromHere(request.headers.origin)) return reject(response, 403, 'requests of web pages are not answered')
  // Between requests there is no stream and no session.
  if (request.method !== 'POST') return reject(response, 405, 'only POST is answered', { allow: 'POST' })
  const key = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
  if (key === undefined) return rejectKey(response, 'an API key is missing: Authorization: Bearer ptn_…')
  // The gateway would accept the token of local commands, because this process calls it from the same machine.
  if (!API_KEY.test(key)) return rejectKey(response, 'this is no API key: one is ptn_ and 40 letters and digits')
  const target = { url: gatewayUrl, headers: { authorization: `Bearer ${key}`, ...forwardedFor(request) } }
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  const me = await new GatewayApi(target, limited(gone.signal)).request('GET', '/v1/me')
  if (me === undefined) return reject(response, 502, 'the gateway does not answer')
  if (me.status === 401) return rejectKey(response, errorText(me.json) ?? 'the gateway refuses this key')
  const server = makeMcpServer({ connect: () => Promise.resolve(target), version })
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
  response.on('close', () => void server.close())
  await server.connect(transport as Parameters<typeof server.connect>[0])
  await transport.handleRequest(request, response)
}

/** Appends the caller's address to those of the proxies before it. */
function forwardedFor({ headers, socket }: IncomingMessage): { 'x-forwarded-for': string } {
  const passed = [headers['x-forwarded-for'] ?? [], socket.remoteAddress ?? []].flat()
  return { 'x-forwarded-for': passed.join(', ') }
}

/** A browser names the origin of a page; a program on the machine sends none. */
const isFromHere = (origin: string | undefined): boolean =>
  origin === undefined || (URL.canParse(origin) && LOOPBACK.includes(new URL(origin).hostname))

const rejectKey = (response: ServerResponse, text: string): void =>
  reject(response, 401, text, { 'www-authenticate': 'Bearer' })

function reject(response: ServerResponse, status: number, text: string, headers: Record<string, string> = {}): void {
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code: -32_000, message: text }, id: null })
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
}
