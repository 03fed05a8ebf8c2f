import { jidKind } from '../../../domain/jid.ts'
import type { Addressing } from '../../../domain/session.ts'
import { resolveWithin } from '../../../runtime/deadline.ts'
import { failureOfLibrary, invalidRecipient } from '../errors.ts'
import type { Connection } from '../link/connection.ts'
import type { SessionContext } from '../session-context.ts'
import { ownLid } from '../wire/own-names.ts'

const REFRESH_MS = 3_000

/** Where a message goes, as the customer says it and as the stanza does. */
export interface Address {
  /** As customers know the chat. */
  chat: string
  /** As everything in the stanza names it: where two kinds of names meet, the platform refuses the message. */
  to: string
  /** The kind of name; none where it is not a person's. */
  form?: 'lid' | 'pn'
  /** The number behind a hidden identifier, where it is known. */
  phone?: string
}

/** The name that a message to this chat goes by; a person who cannot be reached under any is told apart here. */
export async function addressOf(context: SessionContext, connection: Connection, chat: string): Promise<Address> {
  const kind = jidKind(chat)
  if (kind !== 'user' && kind !== 'lid') return { chat, to: chat }
  try {
    return await addressOfPerson(context, connection, chat)
  } catch (error) {
    throw failureOfLibrary(error, 'the recipient')
  }
}

async function addressOfPerson(context: SessionContext, connection: Connection, chat: string): Promise<Address> {
  const known = await namesIn(context, chat)
  const { lid, phone } = known
  const to = nameFor(context, known)
  // Only a question by number tells the hidden identifier, and whether the number has changed hands since.
  const isUnsure = lid === undefined || (chat === phone && to === lid && !context.recipients.lists.known(lid))
  if (phone === undefined || !isUnsure) return await addressOfKnown(context, connection, chat, known)
  if (lid !== undefined) context.recipients.lists.forget(phone)
  const devices = await findDevices(context, connection, phone)
  const names = await namesIn(context, chat)
  if (devices === 0 && names.lid === undefined) throw notThere()
  return await addressOfKnown(context, connection, chat, names)
}

/** Where nobody is there under a name that was known before, the person may go by another. */
async function addressOfKnown(
  context: SessionContext,
  connection: Connection,
  chat: string,
  names: Names,
): Promise<Address> {
  const address = await reachableAddress(context, connection, chat, names)
  if (address) return address
  const { lid, phone } = names
  if (lid === undefined || phone === undefined) throw notThere()
  await refreshLid(context, connection, phone)
  const refreshed = await reachableAddress(context, connection, chat, await namesIn(context, chat))
  if (!refreshed) throw notThere()
  return refreshed
}

const notThere = () => invalidRecipient('the recipient is not on the platform')

/** The hidden identifier is not the person's any more: whoever goes on with it is refused, so the next message waits. */
export async function followMove(
  context: SessionContext,
  connection: Connection,
  { chat, phone }: Address,
): Promise<void> {
  context.chatNames.delete(phone ?? chat)
  if (phone === undefined) return
  const refreshing = refreshLid(context, connection, phone).catch(() => {})
  await resolveWithin(context.clock, REFRESH_MS, refreshing)
}

/** Asks the platform anew for the hidden identifier of a number. */
async function refreshLid(context: SessionContext, connection: Connection, phone: string): Promise<void> {
  context.recipients.lists.forget(phone)
  await findDevices(context, connection, phone)
}

/** How many devices a person has under this name: the very ones that the message then goes to. */
async function findDevices({ recipients }: SessionContext, { sock }: Connection, jid: string): Promise<number> {
  const [devices = []] = await recipients.lists.of(sock, [jid])
  return devices.length
}

async function reachableAddress(
  context: SessionContext,
  connection: Connection,
  chat: string,
  names: Names,
): Promise<Address | undefined> {
  const to = nameFor(context, names)
  if (to === undefined || (await findDevices(context, connection, to)) === 0) return undefined
  if (to === names.lid) return { chat, to, form: 'lid', ...(names.phone !== undefined && { phone: names.phone }) }
  return { chat, to, form: 'pn' }
}

interface Names {
  lid: string | undefined
  phone: string | undefined
}

async function namesIn(context: SessionContext, chat: string): Promise<Names> {
  const own = ownLid(context.link.state()?.auth.creds ?? {})
  if (own !== undefined && (chat === context.sessionId || chat === own)) return { lid: own, phone: context.sessionId }
  return { lid: await context.lids.lidOf(chat), phone: await context.lids.phoneOf(chat) }
}

function nameFor(context: SessionContext, names: Names): string | undefined {
  return pickName(names, context.callbacks.addressing(), ownLid(context.link.state()?.auth.creds ?? {}) !== undefined)
}

/** A number that does not know its own hidden identifier names its own devices by number, and so everybody else. */
export function pickName({ lid, phone }: Names, wanted: Addressing, hasOwnLid: boolean): string | undefined {
  if (wanted === 'lid') return lid
  return wanted === 'pn' || !hasOwnLid ? (phone ?? lid) : (lid ?? phone)
}

/** Somebody, as messages in this chat name people. */
export async function nameInChat(context: SessionContext, { to, form }: Address, jid: string): Promise<string> {
  if (form === undefined) return jid
  const { lid, phone } = await namesIn(context, jid)
  return (jidKind(to) === 'lid' ? lid : phone) ?? jid
}

/** The name that the chat has used last, for what is no message: what is known without a question. */
export async function lastNameOf(context: SessionContext, chat: string): Promise<string> {
  const kind = jidKind(chat)
  if (kind !== 'user' && kind !== 'lid') return chat
  const names = await namesIn(context, chat)
  return context.chatNames.get(names.phone ?? chat) ?? nameFor(context, names) ?? chat
}
