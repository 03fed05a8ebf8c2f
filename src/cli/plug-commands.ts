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
  command({
    name: 'import',
    summary: 'take over what WAHA or Evolution API was told',
    words: ['<from>', '<source>'],
    choices: ['waha', 'evolution'],
    options: { ...CLIENT_OPTIONS, 'dry-run': flag, 'their-key': text, json: flag },
    async load() {
      const { importSetup, importHelp } = await import('./import.ts')
      return { help: importHelp, run: ({ values, words, env }) => importSetup(words[0]!, words[1]!, values, env) }
    },
  }),
]
