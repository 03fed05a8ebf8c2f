import { once } from 'node:events'
import { ConfigError } from '../config-error.ts'
import { CLIENT_HELP, type ClientOptions, openClient } from './gateway-client.ts'

const PORT = 8_090

export const mcpHelp = `postern mcp [--http [--port ${PORT}] [--host 127.0.0.1]] [--url http://…] [--key ptn_…] [--account acc_…]

A server of the Model Context Protocol, for agents: tools to send and read messages, to read events and to play with the
sandbox, and the pages of docs as resources. A tool that the key has no scope for is not offered.

Without --http it speaks over its standard input and output, as a client that starts it expects:
  {"mcpServers": {"postern": {"command": "postern", "args": ["mcp"], "env": {"POSTERN_API_KEY": "ptn_…"}}}}

  --http      streamable HTTP instead, at /mcp. Each caller brings its own key, as "Authorization: Bearer ptn_…"
  --port      for --http, ${PORT} where not given; 0 picks a free one
  --host      for --http; before it is another than 127.0.0.1, put TLS in front
${CLIENT_HELP}`

interface Options extends ClientOptions {
  http?: boolean
  port?: string
  host?: string
}

export async function mcp(options: Options, env: NodeJS.ProcessEnv): Promise<void> {
  if (options.http === true) return await overHttp(options, env)
  if (options.port !== undefined || options.host !== undefined)
    throw new ConfigError('--port and --host are for --http. Write postern mcp --http, or leave them out.')
  // What is wrong with the address or the key is said now, not when the first tool is used.
  await (await openClient(options, env)).call('GET', '/v1/me')
  const [{ makeMcpServer }, { StdioServerTransport }] = await Promise.all([
    import('./mcp/mcp-server.ts'),
    import('@modelcontextprotocol/sdk/server/stdio.js'),
  ])
  const server = makeMcpServer(() => openClient(options, env))
  await server.connect(new StdioServerTransport())
  await Promise.race([once(process.stdin, 'end'), interrupted()])
  await server.close()
}

async function overHttp(options: Options, env: NodeJS.ProcessEnv): Promise<void> {
  if (options.key !== undefined || options.account !== undefined)
    throw new ConfigError('--key and --account are not for --http: each caller brings its own key.')
  const { url } = await openClient({ ...options, key: 'none' }, env)
  const { serveHttp, addressOf } = await import('./mcp/serve-http.ts')
  const server = await serveHttp(url, { host: options.host ?? '127.0.0.1', port: portOf(options.port) })
  console.error(`MCP at ${addressOf(server)} for the gateway at ${url}. Ctrl-C ends it.`)
  await interrupted()
  server.close()
  server.closeAllConnections()
}

function portOf(given: string | undefined): number {
  const port = Number(given ?? PORT)
  if (/^\d{1,5}$/.test(given ?? '0') && port <= 65_535) return port
  throw new ConfigError('--port must be a number from 0 to 65535.')
}

const interrupted = (): Promise<unknown> => Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
