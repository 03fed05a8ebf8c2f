import { once } from 'node:events'
import { realpathSync } from 'node:fs'
import { ConfigError, readPlace } from '../config.ts'
import { VERSION } from '../version.ts'
import { CLIENT_HELP, type ClientOptions, findTarget, openClient } from './gateway-client.ts'
import { toJson } from './terminal.ts'

const PORT = 8_090

export const mcpHelp = `postern mcp [--http [--port ${PORT}] [--host 127.0.0.1]] [--print-config]
            [--url http://…] [--key ptn_…] [--account acc_…]

Runs a server of the Model Context Protocol for agents. It has tools to send and
read messages, to read events and to use the sandbox, and the docs as resources.
It offers only the tools that the scopes of the key allow.

Without --http it uses its standard input and output. --print-config prints the
configuration for a client that starts the server: absolute paths, the gateway
and the key.

  --print-config  print the configuration for a client, with your key in it
  --http      serve streamable HTTP at /mcp. Each caller sends its own key as
              "Authorization: Bearer ptn_…"
  --port      the port for --http; 0 picks a free port. Default: ${PORT}
  --host      the host for --http. Use TLS in front of any host but 127.0.0.1
${CLIENT_HELP}`

interface Options extends ClientOptions {
  http?: boolean
  'print-config'?: boolean
  port?: string
  host?: string
}

export async function mcp(options: Options, env: NodeJS.ProcessEnv): Promise<void> {
  if (options['print-config'] === true) return await printConfig(options, env)
  if (options.http === true) return await overHttp(options, env)
  if (options.port !== undefined || options.host !== undefined)
    throw new ConfigError('--port and --host are for --http. Write postern mcp --http, or leave them out.')
  // The command reports a wrong address or key now, not when the first tool is used.
  await (await openClient(options, env)).call('GET', '/v1/me')
  const { serveStdio } = await import('#mcp/serve-stdio')
  await serveStdio({ connect: () => openClient(options, env), version: VERSION }, interrupted())
}

/** Without a key the client's process authenticates with the token of the data folder, as a command there does. */
async function printConfig(options: Options, env: NodeJS.ProcessEnv): Promise<void> {
  if (options.http === true)
    throw new ConfigError('--print-config is for a client that starts the server. Leave --http out.')
  const { url, token, hasKey } = await findTarget(options, env)
  const access = hasKey
    ? { POSTERN_URL: url, POSTERN_API_KEY: token }
    : { POSTERN_URL: url, POSTERN_DATA_DIR: readPlace(env).dataDir }
  const account = options.account === undefined ? [] : ['--account', options.account]
  const args = [realpathSync(process.argv[1]!), 'mcp', ...account]
  const server = { command: process.execPath, args, env: access }
  console.log(toJson({ mcpServers: { postern: server } }, 2))
}

async function overHttp(options: Options, env: NodeJS.ProcessEnv): Promise<void> {
  if (options.key !== undefined || options.account !== undefined)
    throw new ConfigError('--key and --account are not for --http: each caller sends its own key.')
  const { url } = await openClient({ ...options, key: 'none' }, env)
  const { serveHttp, addressOf } = await import('#mcp/serve-http')
  const server = await serveHttp(
    { gatewayUrl: url, version: VERSION },
    { host: options.host ?? '127.0.0.1', port: portOf(options.port) },
  )
  console.error(`MCP at ${addressOf(server)} for the gateway at ${url}. Press Ctrl-C to stop.`)
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
