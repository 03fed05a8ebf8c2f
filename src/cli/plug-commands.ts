import { type Command, command, flag, text } from './command.ts'
import { CLIENT_OPTIONS } from './gateway-client.ts'

/** What connects a gateway with other programs. */
export const PLUG_COMMANDS: Command[] = [
  command({
    name: 'mcp',
    summary: 'tools for agents: a server of the Model Context Protocol',
    options: { ...CLIENT_OPTIONS, http: flag, port: text, host: text },
    async load() {
      const { mcp, mcpHelp } = await import('./mcp.ts')
      return { help: mcpHelp, run: ({ values, env }) => mcp(values, env) }
    },
  }),
]
