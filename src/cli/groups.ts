import { ConfigError } from '../boot/config-error.ts'
import { MEMBER_ACTIONS } from '../domain/group.ts'
import {
  between,
  keyHeader,
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

interface GroupSummary {
  jid: string
  subject: string
  description: string
  size: number
  settings: { write: string; edit: string; add: string; join_approval: boolean; disappearing_seconds: number }
}

interface Group extends GroupSummary {
  role: string | null
  members: Array<{ jid: string; phone: string | null; role: string }>
}

interface Outcome {
  jid: string
  outcome: string
  code: number | null
}

export const listGroupsHelp = `postern groups list [--limit N] [--cursor CURSOR]
                  ${NUMBER_USAGE}

Lists the groups that a number is in.

${PAGE_HELP}
${NUMBER_HELP}`

export async function listGroups(options: NumberOptions<PageOptions>, env: NodeJS.ProcessEnv): Promise<void> {
  const number = await openNumber(options, env)
  printResult(options.json, await number.page<GroupSummary>('/groups', options), page =>
    page.data.length === 0
      ? `The number is in no group. Create one: ${ownName()} groups create "Project 1001" --members +15551234567`
      : [
          table(page.data.map(({ jid, size, subject }) => [jid, membersOf(size), printable(subject)])),
          ...nextPage(`${ownName()} groups list`, page),
        ].join('\n'),
  )
}

const membersOf = (size: number): string => (size === 1 ? '1 member' : `${size} members`)

export const showGroupHelp = `postern groups show <jid>
                  ${NUMBER_USAGE}

Shows a group with its settings and members.

${NUMBER_HELP}`

export async function showGroup(options: NumberOptions, env: NodeJS.ProcessEnv, jid: string): Promise<void> {
  const path = `/groups/${segment('<jid>', jid)}`
  const number = await openNumber(options, env)
  printResult(options.json, await number.call<Group>('GET', path), describe)
}

export const createGroupHelp = `postern groups create <subject> --members NUMBER,… [--id KEY]
                  ${NUMBER_USAGE}

Creates a group and shows which people could be added.

  --members   phone numbers or JIDs, up to 100, separated by commas
  --id        the Idempotency-Key: if you repeat it within a day, the gateway
              returns the same group and does not create a second one
${NUMBER_HELP}`

export async function createGroup(
  options: NumberOptions<{ members?: string; id?: string }>,
  env: NodeJS.ProcessEnv,
  subject: string,
): Promise<void> {
  if (options.members === undefined)
    throw new ConfigError('--members is missing: the people of the group, such as +15551234567,+15557654321.')
  const body = { subject, members: between(options.members) }
  const number = await openNumber(options, env)
  const made = await number.call<Group & { outcomes: Outcome[] }>('POST', '/groups', body, keyHeader(options.id))
  printResult(options.json, made, group => [describe(group), ...refused(group.outcomes)].join('\n'))
}

export const groupMembersHelp = `postern groups members <jid> [--add NUMBER,… | --remove NUMBER,… |
                       --promote NUMBER,… | --demote NUMBER,…]
                  ${NUMBER_USAGE}

Lists the members of a group, or changes some and shows the outcome for each.
The exit code is 1 if one of them could not be changed.

  --add       add these people, up to 100, separated by commas
  --remove    remove these members
  --promote   make these members admins
  --demote    make these admins members
${NUMBER_HELP}`

type MemberOptions = Partial<Record<(typeof MEMBER_ACTIONS)[number], string>>

export async function groupMembers(
  options: NumberOptions<MemberOptions>,
  env: NodeJS.ProcessEnv,
  jid: string,
): Promise<void> {
  const path = `/groups/${segment('<jid>', jid)}`
  const actions = MEMBER_ACTIONS.filter(name => options[name] !== undefined)
  if (actions.length > 1)
    throw new ConfigError(`--${actions[0]} and --${actions[1]} were given: make one change at a time.`)
  const [action] = actions
  const number = await openNumber(options, env)
  if (action === undefined) {
    const { members } = await number.call<Group>('GET', path)
    return printResult(options.json, { data: members }, () => memberTable(members))
  }
  const body = { action, members: between(options[action]!) }
  const changed = await number.call<{ data: Outcome[] }>('POST', `${path}/members`, body)
  printResult(options.json, changed, ({ data }) =>
    table(data.map(each => [each.jid, each.outcome === 'done' ? paint('green', 'done') : paint('red', each.outcome)])),
  )
  if (changed.data.some(({ outcome }) => outcome !== 'done')) process.exitCode = 1
}

export const groupInviteHelp = `postern groups invite <jid> [--renew]
                  ${NUMBER_USAGE}

Prints the link that lets people join a group. Treat it like a password.

  --renew     create a new link: the old one stops working
${NUMBER_HELP}`

export async function groupInvite(
  options: NumberOptions<{ renew?: boolean }>,
  env: NodeJS.ProcessEnv,
  jid: string,
): Promise<void> {
  const path = `/groups/${segment('<jid>', jid)}/invite`
  const number = await openNumber(options, env)
  const link = await number.call<{ invite: string }>(options.renew === true ? 'DELETE' : 'GET', path)
  printResult(options.json, link, ({ invite }) => printable(invite))
}

export const leaveGroupHelp = `postern groups leave <jid>
                  ${NUMBER_USAGE}

Leaves a group.

${NUMBER_HELP}`

export async function leaveGroup(options: NumberOptions, env: NodeJS.ProcessEnv, jid: string): Promise<void> {
  const path = `/groups/${segment('<jid>', jid)}/leave`
  const number = await openNumber(options, env)
  const left = await number.call<{ jid: string }>('POST', path)
  printResult(options.json, left, group => `The number has left ${group.jid}.`)
}

const describe = (group: Group): string =>
  [
    `${group.jid} ${printable(group.subject)}`,
    table([
      ...(group.description === '' ? [] : [['  description', printable(group.description)]]),
      ['  role of the number', group.role ?? 'not a member'],
      ['  may write', group.settings.write],
      ['  may edit', group.settings.edit],
      ['  may add people', group.settings.add],
      ['  joining', group.settings.join_approval ? 'an admin approves' : 'by the link'],
      ['  messages', keptFor(group.settings.disappearing_seconds)],
    ]),
    memberTable(group.members),
  ].join('\n')

const keptFor = (seconds: number): string => (seconds === 0 ? 'stay' : `disappear after ${seconds / 86_400} days`)

const memberTable = (members: Group['members']): string =>
  table(members.map(({ jid, phone, role }) => [`  ${phone ?? jid}`, role, phone === null ? '' : jid]))

const refused = (outcomes: readonly Outcome[]): string[] =>
  outcomes.flatMap(({ jid, outcome }) => (outcome === 'done' ? [] : [paint('red', `${jid}: ${outcome}`)]))
