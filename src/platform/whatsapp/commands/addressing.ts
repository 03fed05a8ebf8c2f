import { jidKind } from '../../../domain/jid.ts'
import type { Addressing } from '../../../domain/session.ts'
import { resolveWithin } from '../../../runtime/deadline.ts'
import { failureOfLibrary, invalidRecipient, Unanswered } from '../errors.ts'
import type { Connection } from '../link/connection.ts'
import type { SessionContext } from '../session-context.ts'
import { ownLid } from '../wire/own-names.ts'

const REFRESH_MS = 3_000

/** The recipient of a message, in the API and in the stanza. */
export interface Address {
  /** The chat's JID in the API. */
  chat: string
  /** The name in the stanza, which must not mix two kinds of names: the platform would reject the message. */
  to: string
  /** The kind of name; undefined unless the recipient is a person. */
  form?: 'lid' | 'pn'
  /** The number behind a hidden identifier, if it is known. */
  phone?: string
}

/** The name that a message to this chat uses. Throws INVALID_RECIPIENT for a person who has no reachable name. */
export async function addressOf(context: SessionContext, connection: Connection, chat: string): Promise<Address> {
  const kind = jidKind(chat)
  if (kind !== 'user' && kind !== 'lid') return { chat, to: chat }
  try {
    return await addressOfPerson(context, connection, chat)
  } catch (error) {
    throw failureOfLibrary(error, 'the recipient')
  }
}

async function addressOfPerson(context: SessionContext, connection: Connection, wanted: string): Promise<Address> {
  const chat = context.correctedNumbers.get(wanted) ?? wanted
  const known = await namesIn(context, chat)
  const { lid, phone } = known
  const to = nameFor(context, known)
  // Only a query by number returns the hidden identifier, and whether the number has a new owner.
  const needsQuery = lid === undefined || (chat === phone && to === lid && !context.recipients.lists.known(lid))
  if (phone === undefined || !needsQuery) return await addressOfKnown(context, connection, chat, known)
  if (lid !== undefined) context.recipients.lists.forget(phone)
  const devices = await findDevices(context, connection, phone)
  const names = await namesIn(context, chat)
  if (devices > 0 || names.lid !== undefined) return await addressOfKnown(context, connection, chat, names)
  const corrected = await correctNumber(context, connection, phone)
  if (corrected === undefined || (await findDevices(context, connection, corrected)) === 0) throw notFound()
  return await addressOfKnown(context, connection, corrected, await namesIn(context, corrected))
}

/**
 * The platform knows some people by another number than they give: in Brazil without the ninth digit, for example. Only
 * a query for the contact returns the real one.
 */
async function correctNumber(
  context: SessionContext,
  { sock }: Connection,
  phone: string,
): Promise<string | undefined> {
  const found = await sock.onWhatsApp(phone)
  // The library returns undefined on a timeout.
  if (!found) throw new Unanswered()
  const real = found.find(({ exists }) => exists)?.jid
  if (real === undefined || real === phone || jidKind(real) !== 'user') return undefined
  context.correctedNumbers.set(phone, real)
  // Receipts and retry requests name the real number.
  await context.lids.rememberCorrection(phone, real)
  return real
}

/** If a known name is no longer reachable, the person may have another one. */
async function addressOfKnown(
  context: SessionContext,
  connection: Connection,
  chat: string,
  names: Names,
): Promise<Address> {
  const address = await reachableAddress(context, connection, chat, names)
  if (address) return address
  const { lid, phone } = names
  if (lid === undefined || phone === undefined) throw notFound()
  await refreshLid(context, connection, phone)
  const refreshed = await reachableAddress(context, connection, chat, await namesIn(context, chat))
  if (!refreshed) throw notFound()
  return refreshed
}

const notFound = () => invalidRecipient('the recipient is not on the platform')

/**
 * The hidden identifier no longer belongs to the person, and the platform would reject it: the next message waits for
 * the new one.
 */
export async function refreshStaleLid(
  context: SessionContext,
  connection: Connection,
  { chat, phone }: Address,
): Promise<void> {
  context.chatNames.delete(phone ?? chat)
  if (phone === undefined) return
  const refreshing = refreshLid(context, connection, phone).catch(() => {})
  await resolveWithin(context.clock, REFRESH_MS, refreshing)
}

/** Queries the hidden identifier of a number again. */
async function refreshLid(context: SessionContext, connection: Connection, phone: string): Promise<void> {
  context.recipients.lists.forget(phone)
  await findDevices(context, connection, phone)
}

/** How many devices the person has under this name; the message is sent to the same list. */
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

/**
 * A number without a known hidden identifier of its own names its devices by number, so it has to name recipients by
 * number too.
 */
export function pickName({ lid, phone }: Names, wanted: Addressing, hasOwnLid: boolean): string | undefined {
  if (wanted === 'lid') return lid
  return wanted === 'pn' || !hasOwnLid ? (phone ?? lid) : (lid ?? phone)
}

/** The person's name of the kind that messages in this chat use. */
export async function nameInChat(context: SessionContext, { to, form }: Address, jid: string): Promise<string> {
  return form === undefined ? jid : await nameAs(context, jid, jidKind(to) === 'lid' ? 'lid' : 'pn')
}

/** The person's name of this kind, or the given one if the gateway does not know it. */
export async function nameAs(context: SessionContext, jid: string, form: 'lid' | 'pn'): Promise<string> {
  const { lid, phone } = await namesIn(context, jid)
  return (form === 'lid' ? lid : phone) ?? jid
}

/** The name that the chat used last, without a query; for stanzas that are no messages. */
export async function lastNameOf(context: SessionContext, chat: string): Promise<string> {
  const kind = jidKind(chat)
  if (kind !== 'user' && kind !== 'lid') return chat
  const real = context.correctedNumbers.get(chat) ?? chat
  const names = await namesIn(context, real)
  return context.chatNames.get(names.phone ?? real) ?? nameFor(context, names) ?? real
}
