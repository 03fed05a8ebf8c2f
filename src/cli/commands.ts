import { type Command, command, flag, text } from './command.ts'
import { DELIVERY_COMMANDS } from './delivery-commands.ts'
import { CLIENT_OPTIONS } from './gateway-client.ts'
import { KEEP_COMMANDS } from './keep-commands.ts'
import { PLUG_COMMANDS } from './plug-commands.ts'
import { TRIGGERS } from './trigger-names.ts'

const asked = { ...CLIENT_OPTIONS, json: flag }

/** Every command, grouped as the help shows them. */
export const GROUPS: ReadonlyArray<{ title: string; commands: Command[] }> = [
  {
    title: 'Run it',
    commands: [
      command({
        name: 'start',
        summary: 'start the gateway',
        options: { roles: text },
        async load() {
          const { start, startHelp } = await import('./start.ts')
          return { help: startHelp, run: ({ values, env }) => start(values, env) }
        },
      }),
      command({
        name: 'status',
        summary: 'is it ready, its numbers, what went wrong',
        options: asked,
        async load() {
          const { status, statusHelp } = await import('./status.ts')
          return { help: statusHelp, run: ({ values, env }) => status(values, env) }
        },
      }),
      command({
        name: 'open',
        summary: 'open the portal in the browser, signed in',
        options: { account: text, print: flag, url: text, json: flag },
        async load() {
          const { openPortal, openHelp } = await import('./open.ts')
          return { help: openHelp, run: ({ values, env }) => openPortal(values, env) }
        },
      }),
      command({
        name: 'doctor',
        summary: 'check settings, database, clock, port and DNS',
        options: { json: flag },
        async load() {
          const { doctor, doctorHelp } = await import('./doctor.ts')
          return { help: doctorHelp, run: ({ values, env }) => doctor(values, env) }
        },
      }),
      command({
        name: 'logs',
        summary: 'requests, messages and deliveries as they come',
        options: { ...asked, follow: flag, limit: text },
        async load() {
          const { logs, logsHelp } = await import('./logs.ts')
          return { help: logsHelp, run: ({ values, env }) => logs(values, env) }
        },
      }),
    ],
  },
  {
    title: 'Develop',
    commands: [
      command({
        name: 'listen',
        summary: 'print each event as it happens, and forward it',
        options: { ...asked, 'forward-to': text, events: text },
        async load() {
          const { listen, listenHelp } = await import('./listen.ts')
          return { help: listenHelp, run: ({ values, env }) => listen(values, env) }
        },
      }),
      command({
        name: 'trigger',
        summary: 'let a contact of the sandbox do something',
        words: ['<what>'],
        choices: TRIGGERS,
        options: {
          ...asked,
          session: text,
          from: text,
          text,
          group: text,
          options: text,
          message: text,
          seconds: text,
          follow: flag,
        },
        async load() {
          const { trigger, triggerHelp } = await import('./trigger.ts')
          return { help: triggerHelp, run: ({ values, words, env }) => trigger(words[0]!, values, env) }
        },
      }),
      command({
        name: 'send',
        summary: 'send a message and see what becomes of it',
        options: {
          ...asked,
          session: text,
          to: text,
          text,
          file: text,
          'media-url': text,
          'media-type': text,
          id: text,
          follow: flag,
        },
        async load() {
          const { send, sendHelp } = await import('./send.ts')
          return { help: sendHelp, run: ({ values, env }) => send(values, env) }
        },
      }),
      command({
        name: 'sessions',
        summary: 'the numbers of the account, or one of them',
        words: ['[id]'],
        options: asked,
        async load() {
          const { sessions, sessionsHelp } = await import('./sessions.ts')
          return { help: sessionsHelp, run: ({ values, words, env }) => sessions(words[0], values, env) }
        },
      }),
      command({
        name: 'trial',
        summary: 'try a number out, for a report',
        options: {
          session: text,
          link: text,
          to: text,
          group: text,
          skip: text,
          wait: text,
          yes: flag,
          json: flag,
          key: text,
          url: text,
        },
        async load() {
          const { trial, trialHelp } = await import('./trial.ts')
          return { help: trialHelp, run: ({ values, env }) => trial(values, env) }
        },
      }),
    ],
  },
  { title: 'Deliveries', commands: DELIVERY_COMMANDS },
  { title: 'Plug it in', commands: PLUG_COMMANDS },
  {
    title: 'Accounts and keys',
    commands: [
      command({
        name: 'account create',
        summary: 'create an account with its first API key',
        options: { name: text, plan: text, email: text, password: text, 'accept-tos': flag, url: text, json: flag },
        async load() {
          const { createAccountCommand, accountHelp } = await import('./account.ts')
          return { help: accountHelp, run: ({ values, env }) => createAccountCommand(values, env) }
        },
      }),
      command({
        name: 'account list',
        summary: 'all accounts',
        options: { url: text, json: flag },
        async load() {
          const { listAccountsCommand, accountListHelp } = await import('./account-list.ts')
          return { help: accountListHelp, run: ({ values, env }) => listAccountsCommand(values, env) }
        },
      }),
      command({
        name: 'keys create',
        summary: 'create an API key for an account',
        options: { account: text, label: text, scopes: text, url: text, json: flag },
        async load() {
          const { createKeyCommand, keysHelp } = await import('./keys.ts')
          return { help: keysHelp, run: ({ values, env }) => createKeyCommand(values, env) }
        },
      }),
      command({
        name: 'keys list',
        summary: 'the live keys of an account',
        options: asked,
        async load() {
          const { listKeysCommand, keysListHelp } = await import('./keys-list.ts')
          return { help: keysListHelp, run: ({ values, env }) => listKeysCommand(values, env) }
        },
      }),
      command({
        name: 'keys revoke',
        summary: 'revoke a key for ever',
        words: ['<id>'],
        options: asked,
        async load() {
          const { revokeKeyCommand, keysRevokeHelp } = await import('./keys-list.ts')
          return { help: keysRevokeHelp, run: ({ values, words, env }) => revokeKeyCommand(words[0]!, values, env) }
        },
      }),
      command({
        name: 'sign-in-link',
        summary: 'a one-time link to sign in to the portal with',
        options: { account: text, url: text, json: flag },
        async load() {
          const { signInLink, signInLinkHelp } = await import('./sign-in-link.ts')
          return { help: signInLinkHelp, run: ({ values, env }) => signInLink(values, env) }
        },
      }),
    ],
  },
  { title: 'Keep it', commands: KEEP_COMMANDS },
  {
    title: 'Shell',
    commands: [
      command({
        name: 'completion',
        summary: 'a script that completes commands in your shell',
        words: ['<shell>'],
        choices: ['bash', 'zsh', 'fish'],
        options: {},
        async load() {
          const { completion, completionHelp } = await import('./completion.ts')
          return { help: completionHelp, run: async ({ words }) => console.log(completion(words[0]!, COMMANDS)) }
        },
      }),
    ],
  },
]

export const COMMANDS: readonly Command[] = GROUPS.flatMap(({ commands }) => commands)
