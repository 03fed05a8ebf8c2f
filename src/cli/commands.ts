import { type Command, command, flag, loaded, text, texts, TRIGGERS } from './command.ts'
import { CLIENT_OPTIONS } from './gateway-client.ts'

const client = { ...CLIENT_OPTIONS, json: flag }
const ofNumber = { ...client, session: text }
const page = { limit: text, cursor: text }

const ENDPOINT_OPTIONS = {
  ...texts('kinds', 'sessions', 'direction', 'include', 'signature', 'retries', 'reply', 'description'),
  'keep-hours': text,
}

const PASSPHRASE = { type: 'string', secretIn: 'standard input (--passphrase -) or POSTERN_PASSPHRASE_FILE' } as const

/** Every command, grouped as the help shows them. */
export const GROUPS: ReadonlyArray<{ title: string; commands: Command[] }> = [
  {
    title: 'Run',
    commands: [
      command({
        name: 'start',
        summary: 'start the gateway',
        options: { roles: text },
        load: () => import('./start.ts').then(each => loaded(each.startHelp, each.start)),
      }),
      command({
        name: 'status',
        summary: 'show readiness, numbers and dead letters',
        options: client,
        load: () => import('./status.ts').then(each => loaded(each.statusHelp, each.status)),
      }),
      command({
        name: 'open',
        summary: 'open the portal in the browser, signed in',
        options: { account: text, print: flag, url: text, json: flag },
        load: () => import('./open.ts').then(each => loaded(each.openHelp, each.openPortal)),
      }),
      command({
        name: 'doctor',
        summary: 'check settings, database, clock, port and DNS',
        options: { json: flag },
        load: () => import('./doctor.ts').then(each => loaded(each.doctorHelp, each.doctor)),
      }),
      command({
        name: 'logs',
        summary: 'show requests, messages and deliveries',
        options: { ...client, follow: flag, limit: text },
        load: () => import('./logs.ts').then(each => loaded(each.logsHelp, each.logs)),
      }),
    ],
  },
  {
    title: 'Develop',
    commands: [
      command({
        name: 'listen',
        summary: 'print each event as it happens, and forward it',
        options: { ...client, ...texts('forward-to', 'events', 'endpoint') },
        load: () => import('./listen.ts').then(each => loaded(each.listenHelp, each.listen)),
      }),
      command({
        name: 'trigger',
        summary: 'simulate an action of a sandbox contact',
        words: ['<what>'],
        choices: TRIGGERS,
        options: {
          ...client,
          ...texts('session', 'from', 'text', 'group', 'options', 'message', 'seconds'),
          follow: flag,
        },
        load: () => import('./trigger.ts').then(each => loaded(each.triggerHelp, each.trigger)),
      }),
      command({
        name: 'send',
        summary: 'send a message and show its outcome',
        options: {
          ...client,
          ...texts('session', 'to', 'text', 'file', 'media-url', 'media-id', 'media-type', 'id'),
          ...texts('location', 'contact', 'poll', 'options', 'choose', 'buttons', 'react', 'forward'),
          ...texts('reply-to', 'typing-ms', 'priority', 'at', 'fields'),
          'view-once': flag,
          follow: flag,
        },
        load: () => import('./send.ts').then(each => loaded(each.sendHelp, each.send)),
      }),
      command({
        name: 'trial',
        summary: 'test a number and print a report',
        options: {
          ...texts('session', 'link', 'to', 'group', 'skip', 'wait'),
          yes: flag,
          json: flag,
          key: CLIENT_OPTIONS.key,
          url: text,
        },
        load: () => import('./trial.ts').then(each => loaded(each.trialHelp, each.trial)),
      }),
    ],
  },
  {
    title: 'Numbers',
    commands: [
      command({
        name: 'sessions',
        summary: 'list the numbers, or show or change one',
        words: ['[id]'],
        options: { ...client, appear: text, pace: text, pause: flag, resume: flag },
        load: () => import('./sessions.ts').then(each => loaded(each.sessionsHelp, each.sessions)),
      }),
      command({
        name: 'sessions export',
        summary: 'move a number away, into a sealed file',
        words: ['<id>'],
        options: {
          to: text,
          passphrase: PASSPHRASE,
          'fail-waiting': flag,
          'take-back': flag,
          url: text,
          json: flag,
        },
        load: () => import('./move-number.ts').then(each => loaded(each.exportSessionHelp, each.exportSession)),
      }),
      command({
        name: 'sessions import',
        summary: 'take over a number from such a file',
        words: ['<file>'],
        options: { account: text, passphrase: PASSPHRASE, url: text, json: flag },
        load: () => import('./move-number.ts').then(each => loaded(each.importSessionHelp, each.importSession)),
      }),
      command({
        name: 'health',
        summary: 'show how WhatsApp treats a number',
        options: ofNumber,
        load: () => import('./health.ts').then(each => loaded(each.healthHelp, each.health)),
      }),
      command({
        name: 'profile',
        summary: 'show or change the profile of a number',
        options: { ...ofNumber, ...texts('name', 'about', 'picture'), 'no-picture': flag },
        load: () => import('./profile.ts').then(each => loaded(each.profileHelp, each.profile)),
      }),
      command({
        name: 'groups list',
        summary: 'list the groups of a number',
        options: { ...ofNumber, ...page },
        load: () => import('./groups.ts').then(each => loaded(each.listGroupsHelp, each.listGroups)),
      }),
      command({
        name: 'groups show',
        summary: 'show a group with its members',
        words: ['<jid>'],
        options: ofNumber,
        load: () => import('./groups.ts').then(each => loaded(each.showGroupHelp, each.showGroup)),
      }),
      command({
        name: 'groups create',
        summary: 'create a group',
        words: ['<subject>'],
        options: { ...ofNumber, ...texts('members', 'id') },
        load: () => import('./groups.ts').then(each => loaded(each.createGroupHelp, each.createGroup)),
      }),
      command({
        name: 'groups members',
        summary: 'list or change the members',
        words: ['<jid>'],
        options: { ...ofNumber, ...texts('add', 'remove', 'promote', 'demote') },
        load: () => import('./groups.ts').then(each => loaded(each.groupMembersHelp, each.groupMembers)),
      }),
      command({
        name: 'groups invite',
        summary: 'print the invite link',
        words: ['<jid>'],
        options: { ...ofNumber, renew: flag },
        load: () => import('./groups.ts').then(each => loaded(each.groupInviteHelp, each.groupInvite)),
      }),
      command({
        name: 'groups leave',
        summary: 'leave a group',
        words: ['<jid>'],
        options: ofNumber,
        load: () => import('./groups.ts').then(each => loaded(each.leaveGroupHelp, each.leaveGroup)),
      }),
      command({
        name: 'contacts show',
        summary: 'show a contact',
        words: ['<person>'],
        options: ofNumber,
        load: () => import('./contacts.ts').then(each => loaded(each.showContactHelp, each.showContact)),
      }),
      command({
        name: 'contacts check',
        summary: 'check which numbers are on WhatsApp',
        words: ['<numbers>'],
        options: ofNumber,
        load: () => import('./contacts.ts').then(each => loaded(each.checkContactsHelp, each.checkContacts)),
      }),
      command({
        name: 'contacts block',
        summary: 'block a contact',
        words: ['<person>'],
        options: ofNumber,
        load: () => import('./contacts.ts').then(each => loaded(each.blockContactHelp, each.blockContact)),
      }),
      command({
        name: 'contacts unblock',
        summary: 'unblock a contact',
        words: ['<person>'],
        options: ofNumber,
        load: () => import('./contacts.ts').then(each => loaded(each.unblockContactHelp, each.unblockContact)),
      }),
      command({
        name: 'contacts blocked',
        summary: 'list the blocked contacts',
        options: { ...ofNumber, ...page },
        load: () => import('./contacts.ts').then(each => loaded(each.listBlockedHelp, each.listBlocked)),
      }),
      command({
        name: 'chats list',
        summary: 'list the chats of a number, without content',
        options: { ...ofNumber, ...page },
        load: () => import('./chats.ts').then(each => loaded(each.listChatsHelp, each.listChats)),
      }),
      command({
        name: 'chats archive',
        summary: 'archive a chat',
        words: ['<chat>'],
        options: { ...ofNumber, undo: flag },
        load: () => import('./chats.ts').then(each => loaded(each.archiveChatHelp, each.archiveChat)),
      }),
      command({
        name: 'chats pin',
        summary: 'pin a chat',
        words: ['<chat>'],
        options: { ...ofNumber, undo: flag },
        load: () => import('./chats.ts').then(each => loaded(each.pinChatHelp, each.pinChat)),
      }),
      command({
        name: 'chats read',
        summary: 'mark a chat as read',
        words: ['<chat>'],
        options: { ...ofNumber, undo: flag },
        load: () => import('./chats.ts').then(each => loaded(each.readChatHelp, each.readChat)),
      }),
      command({
        name: 'chats mute',
        summary: 'mute a chat',
        words: ['<chat>'],
        options: { ...ofNumber, until: text, undo: flag },
        load: () => import('./chats.ts').then(each => loaded(each.muteChatHelp, each.muteChat)),
      }),
      command({
        name: 'chats history',
        summary: 'request older messages from the phone',
        words: ['<chat>'],
        options: { ...ofNumber, ...texts('before', 'count') },
        load: () => import('./chats.ts').then(each => loaded(each.chatHistoryHelp, each.chatHistory)),
      }),
      command({
        name: 'channels list',
        summary: 'list the channels of a number',
        options: { ...ofNumber, ...page },
        load: () => import('./channels.ts').then(each => loaded(each.listChannelsHelp, each.listChannels)),
      }),
      command({
        name: 'channels find',
        summary: 'show a channel',
        words: ['<channel>'],
        options: ofNumber,
        load: () => import('./channels.ts').then(each => loaded(each.findChannelHelp, each.findChannel)),
      }),
      command({
        name: 'channels follow',
        summary: 'follow a channel',
        words: ['<channel>'],
        options: { ...ofNumber, undo: flag },
        load: () => import('./channels.ts').then(each => loaded(each.followChannelHelp, each.followChannel)),
      }),
      command({
        name: 'channels create',
        summary: 'create a channel',
        words: ['<name>'],
        options: { ...ofNumber, ...texts('description', 'id') },
        load: () => import('./channels.ts').then(each => loaded(each.createChannelHelp, each.createChannel)),
      }),
      command({
        name: 'channels post',
        summary: 'post in a channel',
        words: ['<channel>'],
        options: { ...ofNumber, ...texts('text', 'file') },
        load: () => import('./channels.ts').then(each => loaded(each.postInChannelHelp, each.postInChannel)),
      }),
      command({
        name: 'channels stats',
        summary: 'show the statistics of a channel',
        words: ['<channel>'],
        options: ofNumber,
        load: () => import('./channels.ts').then(each => loaded(each.channelStatsHelp, each.channelStats)),
      }),
    ],
  },
  {
    title: 'Deliveries',
    commands: [
      command({
        name: 'deliveries list',
        summary: 'list the latest deliveries',
        options: { ...client, status: text, session: text, limit: text },
        load: () => import('./deliveries.ts').then(each => loaded(each.listDeliveriesHelp, each.listDeliveries)),
      }),
      command({
        name: 'deliveries show',
        summary: 'show a delivery with its attempts',
        words: ['<id>'],
        options: client,
        load: () => import('./deliveries.ts').then(each => loaded(each.showDeliveryHelp, each.showDelivery)),
      }),
      command({
        name: 'deliveries resend',
        summary: 'deliver the same event again',
        words: ['<id>'],
        options: client,
        load: () => import('./deliveries.ts').then(each => loaded(each.resendDeliveryHelp, each.resendDelivery)),
      }),
      command({
        name: 'deliveries give-up',
        summary: 'stop retries: make it a dead letter',
        words: ['<id>'],
        options: client,
        load: () => import('./deliveries.ts').then(each => loaded(each.giveUpDeliveryHelp, each.giveUpDelivery)),
      }),
      command({
        name: 'deliveries replay',
        summary: 'deliver the dead letters of a webhook again',
        options: { ...client, webhook: text, since: text, until: text, status: text },
        load: () => import('./deliveries.ts').then(each => loaded(each.replayDeliveriesHelp, each.replayDeliveries)),
      }),
    ],
  },
  {
    title: 'Integrate',
    commands: [
      command({
        name: 'webhooks create',
        summary: 'post the events of a number to your program',
        words: ['[url]'],
        options: { ...client, session: text, messages: text, status: text, connection: text, events: text },
        load: () => import('./webhooks.ts').then(each => loaded(each.createWebhookHelp, each.createWebhook)),
      }),
      command({
        name: 'webhooks list',
        summary: 'list the webhooks of the account',
        options: client,
        load: () => import('./webhooks.ts').then(each => loaded(each.listWebhooksHelp, each.listWebhooks)),
      }),
      command({
        name: 'webhooks update',
        summary: 'change the URLs of a webhook',
        words: ['[url]'],
        options: { ...client, webhook: text, messages: text, status: text, connection: text, events: text },
        load: () => import('./webhooks.ts').then(each => loaded(each.updateWebhookHelp, each.updateWebhook)),
      }),
      command({
        name: 'webhooks delete',
        summary: 'delete a webhook',
        words: ['<id>'],
        options: client,
        load: () => import('./webhooks.ts').then(each => loaded(each.deleteWebhookHelp, each.deleteWebhook)),
      }),
      command({
        name: 'webhooks test',
        summary: 'send a sample to each URL, show the responses',
        words: ['[id]'],
        options: { ...client, category: text },
        load: () => import('./webhooks.ts').then(each => loaded(each.testWebhookHelp, each.testWebhook)),
      }),
      command({
        name: 'endpoints create',
        summary: 'post events of several numbers, or keep them',
        words: ['[url]'],
        options: { ...client, ...ENDPOINT_OPTIONS, pull: flag },
        load: () => import('./endpoints.ts').then(each => loaded(each.createEndpointHelp, each.createEndpoint)),
      }),
      command({
        name: 'endpoints list',
        summary: 'list the endpoints of the account',
        options: client,
        load: () => import('./endpoints.ts').then(each => loaded(each.listEndpointsHelp, each.listEndpoints)),
      }),
      command({
        name: 'endpoints show',
        summary: 'show an endpoint',
        words: ['<id>'],
        options: client,
        load: () => import('./endpoints.ts').then(each => loaded(each.showEndpointHelp, each.showEndpoint)),
      }),
      command({
        name: 'endpoints update',
        summary: 'change an endpoint, or switch it on or off',
        words: ['<id>'],
        options: { ...client, ...ENDPOINT_OPTIONS, 'new-url': text, active: text },
        load: () => import('./endpoints.ts').then(each => loaded(each.updateEndpointHelp, each.updateEndpoint)),
      }),
      command({
        name: 'endpoints rotate',
        summary: 'give an endpoint a new secret',
        words: ['<id>'],
        options: { ...client, overlap: text },
        load: () => import('./endpoints.ts').then(each => loaded(each.rotateEndpointHelp, each.rotateEndpoint)),
      }),
      command({
        name: 'endpoints test',
        summary: 'send a sample, show the response',
        words: ['<id>'],
        options: { ...client, category: text },
        load: () => import('./endpoints.ts').then(each => loaded(each.testEndpointHelp, each.testEndpoint)),
      }),
      command({
        name: 'endpoints delete',
        summary: 'delete an endpoint',
        words: ['<id>'],
        options: client,
        load: () => import('./endpoints.ts').then(each => loaded(each.deleteEndpointHelp, each.deleteEndpoint)),
      }),
      command({
        name: 'mcp',
        summary: 'tools for agents (Model Context Protocol)',
        options: { ...CLIENT_OPTIONS, http: flag, 'print-config': flag, port: text, host: text },
        load: () => import('./mcp.ts').then(each => loaded(each.mcpHelp, each.mcp)),
      }),
      command({
        name: 'bridge chatwoot',
        summary: 'carry messages between a number and Chatwoot',
        options: {
          ...CLIENT_OPTIONS,
          ...texts('chatwoot', 'chatwoot-account', 'inbox', 'session', 'data', 'host', 'port', 'public-url'),
          ...texts('files-host', 'grace', 'files-url', 'timeout'),
          groups: flag,
          'set-webhook': flag,
          retry: flag,
          json: flag,
        },
        load: () => import('./bridge-chatwoot.ts').then(each => loaded(each.bridgeChatwootHelp, each.bridgeChatwoot)),
      }),
      command({
        name: 'import',
        summary: 'take over the setup of WAHA or Evolution API',
        words: ['<from>', '<source>'],
        choices: ['waha', 'evolution'],
        options: {
          ...CLIENT_OPTIONS,
          'dry-run': flag,
          'their-key': { type: 'string', secretIn: 'THEIR_API_KEY' },
          json: flag,
        },
        load: () => import('./import.ts').then(each => loaded(each.importHelp, each.importSetup)),
      }),
    ],
  },
  {
    title: 'Accounts and keys',
    commands: [
      command({
        name: 'account create',
        summary: 'create an account with its first API key',
        options: {
          ...texts('name', 'plan', 'email', 'url'),
          password: { type: 'string', secretIn: 'standard input (--password -)' },
          'accept-tos': flag,
          json: flag,
        },
        load: () => import('./account.ts').then(each => loaded(each.accountHelp, each.createAccountCommand)),
      }),
      command({
        name: 'account list',
        summary: 'list all accounts',
        options: { url: text, json: flag },
        load: () => import('./account-list.ts').then(each => loaded(each.accountListHelp, each.listAccountsCommand)),
      }),
      command({
        name: 'people export',
        summary: 'print everything stored about a person',
        words: ['<person>'],
        options: client,
        load: () => import('./people.ts').then(each => loaded(each.exportPersonHelp, each.exportPerson)),
      }),
      command({
        name: 'people erase',
        summary: 'erase everything stored about a person',
        words: ['<person>'],
        options: client,
        load: () => import('./people.ts').then(each => loaded(each.erasePersonHelp, each.erasePerson)),
      }),
      command({
        name: 'keys create',
        summary: 'create an API key for an account',
        options: { account: text, label: text, scopes: text, url: text, json: flag },
        load: () => import('./keys.ts').then(each => loaded(each.keysHelp, each.createKeyCommand)),
      }),
      command({
        name: 'keys list',
        summary: 'list the active keys of an account',
        options: client,
        load: () => import('./keys-list.ts').then(each => loaded(each.keysListHelp, each.listKeysCommand)),
      }),
      command({
        name: 'keys revoke',
        summary: 'revoke a key permanently',
        words: ['<id>'],
        options: client,
        load: () => import('./keys-list.ts').then(each => loaded(each.keysRevokeHelp, each.revokeKeyCommand)),
      }),
      command({
        name: 'sign-in-link',
        summary: 'create a one-time sign-in link for the portal',
        options: { account: text, url: text, json: flag },
        load: () => import('./sign-in-link.ts').then(each => loaded(each.signInLinkHelp, each.signInLink)),
      }),
    ],
  },
  {
    title: 'Maintain',
    commands: [
      command({
        name: 'migrate',
        summary: 'migrate the database to this version',
        options: { json: flag },
        load: () => import('./migrate.ts').then(each => loaded(each.migrateHelp, each.migrate)),
      }),
      command({
        name: 'backup',
        summary: 'copy the embedded database while it runs',
        words: ['[file]'],
        options: { to: text, json: flag },
        load: () => import('./backup.ts').then(each => loaded(each.backupHelp, each.backup)),
      }),
      command({
        name: 'restore',
        summary: 'restore a copy of the database',
        words: ['[file]'],
        options: { from: text, replace: flag, json: flag },
        load: () => import('./restore.ts').then(each => loaded(each.restoreHelp, each.restore)),
      }),
      command({
        name: 'move',
        summary: 'move everything to PostgreSQL, or back',
        options: {
          to: { type: 'string', secretIn: 'standard input (--to -)', isAddress: true },
          'take-back': flag,
          json: flag,
        },
        load: () => import('./move.ts').then(each => loaded(each.moveHelp, each.move)),
      }),
    ],
  },
  {
    title: 'Shell',
    commands: [
      command({
        name: 'completion',
        summary: 'print a completion script for your shell',
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
