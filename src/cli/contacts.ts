import { ConfigError } from '../boot/config-error.ts'
import {
  between,
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

interface Contact {
  jid: string
  lid: string | null
  phone: string | null
  name: string | null
  about: string | null
  picture_id: string | null
  business: { name: string | null; category: string | null } | null
  hidden: string[]
}

export const showContactHelp = `postern contacts show <person>
                  ${NUMBER_USAGE}

Shows what WhatsApp shows of a person to a number. <person> is a phone number or
a JID.

${NUMBER_HELP}`

export async function showContact(options: NumberOptions, env: NodeJS.ProcessEnv, person: string): Promise<void> {
  const path = `/contacts/${segment('<person>', person)}`
  const number = await openNumber(options, env)
  printResult(options.json, await number.call<Contact>('GET', path), describe)
}

const describe = (contact: Contact): string =>
  [
    `${contact.jid} ${printable(contact.name ?? '')}`.trimEnd(),
    table([
      ['  phone', contact.phone ?? 'not known'],
      ['  hidden identifier', contact.lid ?? 'not known'],
      ['  about', shown(contact, 'about', contact.about)],
      ['  picture', shown(contact, 'picture', contact.picture_id)],
      ...(contact.business === null ? [] : [['  business', businessOf(contact.business)]]),
    ]),
  ].join('\n')

const shown = ({ hidden }: Contact, part: string, value: string | null): string =>
  value === null ? (hidden.includes(part) ? 'hidden' : 'none') : printable(value)

const businessOf = ({ name, category }: NonNullable<Contact['business']>): string =>
  printable([name, category].filter(Boolean).join(', ')) || 'yes'

interface Checked {
  data: Array<{ phone: string; outcome: string; jid: string | null }>
  budget: { limit: number; left: number; resets_at: string }
}

export const checkContactsHelp = `postern contacts check <numbers>
                  ${NUMBER_USAGE}

Checks which phone numbers are on WhatsApp: up to 100, separated by commas.
Check only numbers that you want to write to: WhatsApp bans numbers that check
many strangers, so a number has a daily budget.

${NUMBER_HELP}`

export async function checkContacts(options: NumberOptions, env: NodeJS.ProcessEnv, phones: string): Promise<void> {
  const body = { phones: between(phones) }
  if (body.phones.length === 0) throw new ConfigError('<numbers> is empty: give phone numbers with country codes.')
  const number = await openNumber(options, env)
  printResult(options.json, await number.call<Checked>('POST', '/contacts/check', body), ({ data, budget }) =>
    [
      table(
        data.map(({ phone, outcome, jid }) => [
          printable(phone),
          outcome === 'found' ? paint('green', outcome) : paint('red', outcome),
          jid ?? '',
        ]),
      ),
      `${budget.left} of ${budget.limit} checks are left until ${budget.resets_at}.`,
    ].join('\n'),
  )
}

const blockHelp = (command: 'block' | 'unblock', what: string): string => `postern contacts ${command} <person>
                  ${NUMBER_USAGE}

${what}

${NUMBER_HELP}`

export const blockContactHelp = blockHelp(
  'block',
  `Blocks a person: the number receives none of their messages and calls any more,
except messages in common groups.`,
)
export const unblockContactHelp = blockHelp('unblock', 'Unblocks a person.')

const changeBlock =
  (method: 'PUT' | 'DELETE') =>
  async (options: NumberOptions, env: NodeJS.ProcessEnv, person: string): Promise<void> => {
    const path = `/blocks/${segment('<person>', person)}`
    const number = await openNumber(options, env)
    const changed = await number.call<{ jid: string; blocked: boolean }>(method, path)
    printResult(options.json, changed, ({ jid, blocked }) => `${jid} is ${blocked ? 'blocked' : 'not blocked'}.`)
  }

export const blockContact = changeBlock('PUT')
export const unblockContact = changeBlock('DELETE')

export const listBlockedHelp = `postern contacts blocked [--limit N] [--cursor CURSOR]
                  ${NUMBER_USAGE}

Lists the people whom a number has blocked.

${PAGE_HELP}
${NUMBER_HELP}`

export async function listBlocked(options: NumberOptions<PageOptions>, env: NodeJS.ProcessEnv): Promise<void> {
  const number = await openNumber(options, env)
  printResult(options.json, await number.page<{ jid: string; phone: string | null }>('/blocks', options), page =>
    page.data.length === 0
      ? 'The number has blocked no one.'
      : [
          table(page.data.map(({ jid, phone }) => [phone ?? jid, phone === null ? '' : jid])),
          ...nextPage(`${ownName()} contacts blocked`, page),
        ].join('\n'),
  )
}
