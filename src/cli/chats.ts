import { ConfigError } from '../boot/config-error.ts'
import { MUTED_FOREVER_MS } from '../domain/chat.ts'
import { MAX_HISTORY } from '../domain/history.ts'
import { systemClock } from '../runtime/clock.ts'
import {
  nextPage,
  NUMBER_HELP,
  NUMBER_USAGE,
  type NumberOptions,
  openNumber,
  PAGE_HELP,
  type PageOptions,
  segment,
} from './number-client.ts'
import { ownName } from './own-name.ts'
import { paint, printable, printResult, table } from './terminal.ts'

interface Chat {
  jid: string
  last_activity: string | null
  unread: number
  marked_unread: boolean
  archived: boolean
  pinned: boolean
  muted_until: string | null
  labels: Array<{ id: string; name: string | null }>
}

const FOREVER = new Date(MUTED_FOREVER_MS).toISOString()

export const listChatsHelp = `postern chats list [--limit N] [--cursor CURSOR]
                  ${NUMBER_USAGE}

Lists the chats of a number, without content. The gateway keeps the list from
the first time that you ask for it.

${PAGE_HELP}
${NUMBER_HELP}`

export async function listChats(options: NumberOptions<PageOptions>, env: NodeJS.ProcessEnv): Promise<void> {
  const number = await openNumber(options, env)
  const found = await number.page<Chat, { synced_at: string | null }>('/chats', options)
  printResult(options.json, found, page =>
    [
      page.data.length === 0
        ? 'No chats are known yet.'
        : table(page.data.map(chat => [chat.jid, chat.last_activity ?? 'no activity seen', marksOf(chat)])),
      ...(page.synced_at === null ? ['The phone has not shared its chats yet: try again in a moment.'] : []),
      ...nextPage(`${ownName()} chats list`, page),
    ].join('\n'),
  )
}

const describe = (chat: Chat): string => `${chat.jid}: ${marksOf(chat) || 'no marks'}`

const marksOf = ({ unread, marked_unread, archived, pinned, muted_until, labels }: Chat): string =>
  [
    ...(unread > 0 ? [paint('green', `${unread} unread`)] : marked_unread ? [paint('green', 'marked unread')] : []),
    ...(archived ? ['archived'] : []),
    ...(pinned ? ['pinned'] : []),
    ...(muted_until === null ? [] : [muted_until === FOREVER ? 'muted' : `muted until ${muted_until}`]),
    ...labels.map(({ id, name }) => printable(name ?? `label ${id}`)),
  ].join(', ')

const changeHelp = (usage: string, what: string, more: string): string => `postern chats ${usage}
                  ${NUMBER_USAGE}

${what}
The phone of the number shows it too. <chat> is a phone number, or the JID of a
contact or a group.

${more}
${NUMBER_HELP}`

export const archiveChatHelp = changeHelp(
  'archive <chat> [--undo]',
  'Archives a chat.',
  '  --undo      take it out of the archive',
)
export const pinChatHelp = changeHelp('pin <chat> [--undo]', 'Pins a chat.', '  --undo      unpin it')
export const readChatHelp = changeHelp(
  'read <chat> [--undo]',
  'Marks a chat as read, without read receipts.',
  '  --undo      mark it as unread',
)
export const muteChatHelp = changeHelp(
  'mute <chat> [--until TIME | --undo]',
  'Mutes a chat.',
  `  --until     until then, such as 2027-01-31T12:00:00Z. Default: without end
  --undo      unmute it`,
)

type Undo = NumberOptions<{ undo?: boolean }>

async function change(options: Undo, env: NodeJS.ProcessEnv, chat: string, body: object): Promise<void> {
  const path = `/chats/${segment('<chat>', chat)}`
  const number = await openNumber(options, env)
  printResult(options.json, await number.call<Chat>('PATCH', path, body), describe)
}

export const archiveChat = (options: Undo, env: NodeJS.ProcessEnv, chat: string): Promise<void> =>
  change(options, env, chat, { archived: options.undo !== true })

export const pinChat = (options: Undo, env: NodeJS.ProcessEnv, chat: string): Promise<void> =>
  change(options, env, chat, { pinned: options.undo !== true })

export const readChat = (options: Undo, env: NodeJS.ProcessEnv, chat: string): Promise<void> =>
  change(options, env, chat, { read: options.undo !== true })

export async function muteChat(
  options: NumberOptions<{ undo?: boolean; until?: string }>,
  env: NodeJS.ProcessEnv,
  chat: string,
): Promise<void> {
  if (options.undo === true && options.until !== undefined) throw new ConfigError('give either --until or --undo.')
  await change(options, env, chat, { muted_until: options.undo === true ? null : (options.until ?? FOREVER) })
}

export const chatHistoryHelp = `postern chats history <chat> --before MESSAGE [--count N]
                  ${NUMBER_USAGE}

Requests older messages of a chat from the phone of the number, and waits up to
ten seconds for the phone. They arrive as events at the endpoints that include
history.

  --before    the message of the chat before which they were written: its id on
              the platform, or its msg_…
  --count     how many, up to ${MAX_HISTORY}. Default: 50
${NUMBER_HELP}`

interface Job {
  id: string
  state: string
  count: number
  found: number
  more: boolean | null
}

const WAIT_MS = 10_000
const POLL_MS = 300

export async function chatHistory(
  options: NumberOptions<{ before?: string; count?: string }>,
  env: NodeJS.ProcessEnv,
  chat: string,
): Promise<void> {
  const path = `/chats/${segment('<chat>', chat)}/history`
  const { before, count } = options
  if (before === undefined) throw new ConfigError('--before is missing: the id of a message of the chat.')
  if (count !== undefined && !/^\d{1,4}$/.test(count)) throw new ConfigError(`--count is "${count}": give a number.`)
  const number = await openNumber(options, env)
  const body = { before_message_id: before, ...(count !== undefined && { count: Number(count) }) }
  let job = await number.call<Job>('POST', path, body)
  const deadlineMs = systemClock.monotonicMs() + WAIT_MS
  while (['waiting', 'receiving'].includes(job.state) && systemClock.monotonicMs() < deadlineMs) {
    await systemClock.sleep(POLL_MS)
    job = await number.call<Job>('GET', `/history/${job.id}`)
  }
  printResult(options.json, job, ({ id, state, found, more }) =>
    [
      `${id} ${state}: ${found === 1 ? '1 message' : `${found} messages`}`,
      ...(state === 'waiting' ? ['The gateway waits up to 24 hours for the phone.'] : []),
      ...(more === true ? ['The phone has still older messages.'] : []),
    ].join('\n'),
  )
}
