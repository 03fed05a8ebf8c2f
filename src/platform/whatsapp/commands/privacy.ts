import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren } from 'baileys'
import type { CommandResult, PrivacyRequest } from '../../../domain/command.ts'
import { PRIVACY, PRIVACY_NAMES, type PrivacyName, type PrivacySettings } from '../../../domain/privacy.ts'
import type { Connection } from '../link/connection.ts'
import { node, queryServer } from '../remembered/contact-queries.ts'
import { openConnection, type SessionContext } from '../session-context.ts'

type Of<Kind extends PrivacyRequest['kind']> = Extract<PrivacyRequest, { kind: Kind }>

/** The platform's names of the settings. */
const CATEGORIES: Readonly<Record<PrivacyName, string>> = {
  last_seen: 'last',
  online: 'online',
  picture: 'profile',
  about: 'status',
  read_receipts: 'readreceipts',
  group_add: 'groupadd',
  call_add: 'calladd',
  messages: 'messages',
}
/** And of the value that it names in another way. */
const EXCEPT = { ours: 'contacts_except', theirs: 'contact_blacklist' }

export async function showPrivacy(context: SessionContext): Promise<CommandResult> {
  return { kind: 'privacy', settings: await readPrivacy(openConnection(context)) }
}

/** The platform takes the settings one by one: those before a refused one stay. */
export async function changePrivacy(context: SessionContext, { change }: Of<'privacy_change'>): Promise<CommandResult> {
  const connection = openConnection(context)
  const { sock } = connection
  try {
    for (const name of PRIVACY_NAMES) {
      const value = change[name]
      if (value === undefined) continue
      const category = node('category', { name: CATEGORIES[name], value })
      await queryServer(sock, 'set', 'privacy', [node('privacy', {}, [category])])
    }
  } finally {
    // The library remembers them, and sends read receipts accordingly.
    if (change.read_receipts !== undefined) await sock.fetchPrivacySettings(true).catch(() => {})
  }
  return { kind: 'privacy', settings: await readPrivacy(connection) }
}

async function readPrivacy({ sock }: Connection): Promise<PrivacySettings> {
  const answer = await queryServer(sock, 'get', 'privacy', [node('privacy')])
  const categories = getBinaryNodeChildren(getBinaryNodeChild(answer, 'privacy'), 'category')
  const entries = PRIVACY_NAMES.map(name => [name, valueOf(categories, name)] as const)
  return Object.fromEntries(entries) as PrivacySettings
}

function valueOf(categories: readonly BinaryNode[], name: PrivacyName): string | null {
  const { value } = categories.find(({ attrs }) => attrs.name === CATEGORIES[name])?.attrs ?? {}
  const ours = value === EXCEPT.theirs ? EXCEPT.ours : value
  return ours !== undefined && (PRIVACY[name] as readonly string[]).includes(ours) ? ours : null
}
