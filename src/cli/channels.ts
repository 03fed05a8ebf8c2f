import {
  keyHeader,
  nextPage,
  NUMBER_HELP,
  NUMBER_USAGE,
  type NumberClient,
  type NumberOptions,
  openNumber,
  PAGE_HELP,
  type PageOptions,
  segment,
} from './number-client.ts'
import { ownName } from './own-name.ts'
import { send } from './send.ts'
import { printable, printResult, table } from './terminal.ts'

interface Channel {
  jid: string
  name: string
  description: string
  invite: string | null
  role: string | null
  followers: number | null
  muted: boolean | null
  reactions: string | null
}

export const listChannelsHelp = `postern channels list [--limit N] [--cursor CURSOR]
                  ${NUMBER_USAGE}

Lists the channels that a number follows or manages.

${PAGE_HELP}
${NUMBER_HELP}`

export async function listChannels(options: NumberOptions<PageOptions>, env: NodeJS.ProcessEnv): Promise<void> {
  const number = await openNumber(options, env)
  printResult(options.json, await number.page<Channel>('/newsletters', options), page =>
    page.data.length === 0
      ? `The number follows no channel. Create one: ${ownName()} channels create "Shop news"`
      : [
          table(
            page.data.map(({ jid, role, muted, name }) => [
              jid,
              `${role ?? 'guest'}${muted === true ? ', muted' : ''}`,
              printable(name),
            ]),
          ),
          ...nextPage(`${ownName()} channels list`, page),
        ].join('\n'),
  )
}

export const findChannelHelp = `postern channels find <channel>
                  ${NUMBER_USAGE}

Shows a channel, and does not follow it. <channel> is its link or its JID.

${NUMBER_HELP}`

export async function findChannel(options: NumberOptions, env: NodeJS.ProcessEnv, channel: string): Promise<void> {
  const number = await openNumber(options, env)
  printResult(options.json, await find(number, channel), describe)
}

/** The channel of a link or a JID. */
const find = (number: NumberClient, channel: string): Promise<Channel> =>
  channel.includes('@')
    ? number.call('GET', `/newsletters/${segment('<channel>', channel)}`)
    : number.call('POST', '/newsletters/preview', { invite: channel })

export const followChannelHelp = `postern channels follow <channel> [--undo]
                  ${NUMBER_USAGE}

Follows a channel: its new posts become events. <channel> is its link or its
JID.

  --undo      no longer follow it
${NUMBER_HELP}`

export async function followChannel(
  options: NumberOptions<{ undo?: boolean }>,
  env: NodeJS.ProcessEnv,
  channel: string,
): Promise<void> {
  const number = await openNumber(options, env)
  const jid = channel.includes('@') ? channel : (await find(number, channel)).jid
  const path = `/newsletters/${segment('<channel>', jid)}/follow`
  const changed = await number.call<{ jid: string; following: boolean }>(options.undo === true ? 'DELETE' : 'PUT', path)
  printResult(options.json, changed, each =>
    each.following ? `The number follows ${each.jid}.` : `The number no longer follows ${each.jid}.`,
  )
}

export const createChannelHelp = `postern channels create <name> [--description TEXT] [--id KEY]
                  ${NUMBER_USAGE}

Creates a channel. The number becomes its owner.

  --description  what the channel is about
  --id        the Idempotency-Key: if you repeat it within a day, the gateway
              returns the same channel and does not create a second one
${NUMBER_HELP}`

export async function createChannel(
  options: NumberOptions<{ description?: string; id?: string }>,
  env: NodeJS.ProcessEnv,
  name: string,
): Promise<void> {
  const { description } = options
  const body = { name, ...(description !== undefined && { description }) }
  const number = await openNumber(options, env)
  const made = await number.call<Channel>('POST', '/newsletters', body, keyHeader(options.id))
  printResult(options.json, made, describe)
}

export const postInChannelHelp = `postern channels post <channel> (--text TEXT | --file PATH [--text CAPTION])
                  ${NUMBER_USAGE}

Posts in a channel that the number manages, and waits up to ten seconds for the
outcome. The exit code is 1 if the post failed. <channel> is its JID. For other
contents use postern send --to.

  --text      the text, or the caption of the file
  --file      a file on this machine
${NUMBER_HELP}`

export async function postInChannel(
  options: NumberOptions<{ text?: string; file?: string }>,
  env: NodeJS.ProcessEnv,
  channel: string,
): Promise<void> {
  await send({ ...options, to: channel.includes('@') ? channel : `${channel}@newsletter` }, env)
}

interface Stats {
  followers: number | null
  admins: number | null
  posts: number
  views: number
  forwards: number
  reactions: number
  since: string | null
}

export const channelStatsHelp = `postern channels stats <channel>
                  ${NUMBER_USAGE}

Shows how many people follow a channel, and what they did with its last 100
posts. <channel> is its JID.

${NUMBER_HELP}`

export async function channelStats(options: NumberOptions, env: NodeJS.ProcessEnv, channel: string): Promise<void> {
  const path = `/newsletters/${segment('<channel>', channel)}/stats`
  const number = await openNumber(options, env)
  printResult(options.json, await number.call<Stats>('GET', path), stats =>
    table([
      ['followers', counted(stats.followers)],
      ['admins', counted(stats.admins)],
      ['posts', `${stats.posts}${stats.since === null ? '' : ` since ${stats.since}`}`],
      ['views', counted(stats.views)],
      ['forwards', counted(stats.forwards)],
      ['reactions', counted(stats.reactions)],
    ]),
  )
}

const counted = (value: number | null): string => (value === null ? 'not known' : String(value))

const describe = (channel: Channel): string =>
  [
    `${channel.jid} ${printable(channel.name)}`,
    table([
      ...(channel.description === '' ? [] : [['  description', printable(channel.description)]]),
      ['  role of the number', channel.role ?? 'guest'],
      ['  followers', counted(channel.followers)],
      ['  reactions', channel.reactions ?? 'not known'],
      ['  link', printable(channel.invite ?? 'not known')],
    ]),
  ].join('\n')
