import { type Command, command, flag, text } from './command.ts'
import { CLIENT_OPTIONS } from './gateway-client.ts'

/** What connects a gateway with other programs. */
export const PLUG_COMMANDS: Command[] = [
  command({
    name: 'mcp',
    summary: 'tools for agents (Model Context Protocol)',
    options: { ...CLIENT_OPTIONS, http: flag, 'print-config': flag, port: text, host: text },
    async load() {
      const { mcp, mcpHelp } = await import('./mcp.ts')
      return { help: mcpHelp, run: ({ values, env }) => mcp(values, env) }
    },
  }),
  command({
    name: 'bridge chatwoot',
    summary: 'carry messages between a number and Chatwoot',
    options: {
      ...CLIENT_OPTIONS,
      chatwoot: text,
      'chatwoot-account': text,
      inbox: text,
      session: text,
      data: text,
      host: text,
      port: text,
      'public-url': text,
      'files-host': text,
      grace: text,
      'files-url': text,
      timeout: text,
      groups: flag,
      'set-webhook': flag,
      retry: flag,
      json: flag,
    },
    async load() {
      const { bridgeChatwoot, bridgeChatwootHelp } = await import('./bridge-chatwoot.ts')
      return { help: bridgeChatwootHelp, run: ({ values, env }) => bridgeChatwoot(values, env) }
    },
  }),
  command({
    name: 'import',
    summary: 'take over the setup of WAHA or Evolution API',
    words: ['<from>', '<source>'],
    choices: ['waha', 'evolution'],
    options: { ...CLIENT_OPTIONS, 'dry-run': flag, 'their-key': text, json: flag },
    async load() {
      const { importSetup, importHelp } = await import('./import.ts')
      return { help: importHelp, run: ({ values, words, env }) => importSetup(words[0]!, words[1]!, values, env) }
    },
  }),
]
