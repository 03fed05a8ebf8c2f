import { type Command, command, flag, text } from './command.ts'
import { CLIENT_OPTIONS } from './gateway-client.ts'

const asked = { ...CLIENT_OPTIONS, json: flag }

/** What connects a gateway with other programs. */
export const PLUG_COMMANDS: Command[] = [
  command({
    name: 'webhooks create',
    summary: 'bring the events of a number to your program',
    words: ['[url]'],
    options: { ...asked, session: text, messages: text, status: text, connection: text, events: text },
    async load() {
      const { createWebhook, createWebhookHelp } = await import('./webhooks.ts')
      return { help: createWebhookHelp, run: ({ values, words, env }) => createWebhook(words[0], values, env) }
    },
  }),
  command({
    name: 'webhooks list',
    summary: 'the webhooks of the account',
    options: asked,
    async load() {
      const { listWebhooks, listWebhooksHelp } = await import('./webhooks.ts')
      return { help: listWebhooksHelp, run: ({ values, env }) => listWebhooks(values, env) }
    },
  }),
  command({
    name: 'webhooks test',
    summary: 'send a sample to each URL, and see the answers',
    words: ['[id]'],
    options: { ...asked, category: text },
    async load() {
      const { testWebhook, testWebhookHelp } = await import('./webhooks.ts')
      return { help: testWebhookHelp, run: ({ values, words, env }) => testWebhook(words[0], values, env) }
    },
  }),
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
