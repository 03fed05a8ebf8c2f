import { once } from 'node:events'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { makeMcpServer, type McpDeps } from './mcp-server.ts'

/** Serves over standard input and output until the input ends or `interrupted` resolves. */
export async function serveStdio(deps: McpDeps, interrupted: Promise<unknown>): Promise<void> {
  const server = makeMcpServer(deps)
  await server.connect(new StdioServerTransport())
  await Promise.race([once(process.stdin, 'end'), interrupted])
  await server.close()
}
