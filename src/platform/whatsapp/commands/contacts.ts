import {
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  getBinaryNodeChildString,
  proto,
  type WASocket,
} from 'baileys'
import { BOUNDS } from '../../../domain/bounds.ts'
import type { CommandResult, ContactRequest } from '../../../domain/command.ts'
import {
  type BlockedContact,
  type BusinessProfile,
  type CheckedNumber,
  type Contact,
  HOURS_MODES,
  type OpenDay,
  type Picture,
} from '../../../domain/contact.ts'
import { digitsOf, jidKind, withoutDevice } from '../../../domain/jid.ts'
import { PlatformError } from '../../platform.ts'
import { refused, transient, Unanswered } from '../errors.ts'
import type { Connection } from '../link/connection.ts'
import {
  node,
  notFound,
  type PicturePlace,
  queryPeople,
  queryPicture,
  queryServer,
  textIn,
  userWithPhone,
} from '../remembered/contact-queries.ts'
import { openConnection, type SessionContext } from '../session-context.ts'
import { openFile } from '../to-event/download.ts'
import { unixSeconds } from '../wire/numbers.ts'
import { pageOf } from './groups.ts'

type Of<Kind extends ContactRequest['kind']> = Extract<ContactRequest, { kind: Kind }>

/** Pictures of profiles have 640 by 640 pixels at most. */
const MAX_PICTURE_BYTES = 1024 * 1024
const PICTURE_MS = 8_000

/** Whether phone numbers are on the platform. Checks that the platform did not answer are spent too: it counted them. */
export async function checkContacts(context: SessionContext, { phones }: Of<'contact_check'>): Promise<CommandResult> {
  const { sock } = openConnection(context)
  const { isTaken, ...budget } = await context.checkBudget.take(phones.length)
  if (!isTaken) throw budgetSpent(context, budget.resetsAtMs)
  const wanted = [node('contact'), node('lid')]
  const users = phones.length === 0 ? [] : await queryPeople(sock, phones.map(userWithPhone), wanted)
  const answered = new Map<string, CheckedNumber>()
  for (const user of users) {
    const contact = getBinaryNodeChild(user, 'contact')
    const phone = textIn(contact).replace(/^\+/, '')
    const isFound = contact?.attrs.type === 'in'
    const jid = isFound && user.attrs.jid !== undefined ? withoutDevice(user.attrs.jid) : null
    if (jid !== null) await context.lids.remember(jid, getBinaryNodeChild(user, 'lid')?.attrs.val, 'lookup')
    if (contact) answered.set(phone, { phone, outcome: isFound ? 'found' : 'not_found', jid })
  }
  const numbers = phones.map(phone => answered.get(phone) ?? { phone, outcome: 'unanswered' as const, jid: null })
  return { kind: 'checked', numbers, budget }
}

function budgetSpent({ clock }: SessionContext, resetsAtMs: number): PlatformError {
  return new PlatformError({
    kind: 'permanent',
    reason: 'SEND_FAILED',
    code: 'quota_exceeded',
    detail: 'daily check budget exceeded',
    retryAfterMs: resetsAtMs - clock.now().getTime(),
  })
}

/** What a query about a person asks for, besides the picture. */
export const protocolsOfProfile = (): BinaryNode[] => [
  node('contact'),
  node('lid'),
  node('status'),
  node('business', {}, [node('verified_name'), node('profile', { v: '372' })]),
]

/** What the platform shows of a person to this number. */
export async function showContact(context: SessionContext, { jid }: Of<'contact_show'>): Promise<CommandResult> {
  const connection = openConnection(context)
  const { sock } = connection
  const { user, phone, lid } = await findPerson(context, sock, jid, protocolsOfProfile())
  const name = phone ?? lid!
  const shown = await readShown(context, connection, name, user)
  const contact: Contact = {
    jid: name,
    lid,
    phone,
    name: (await context.contactNames.find([phone, lid])) ?? null,
    ...shown,
  }
  return { kind: 'contact', contact }
}

type Shown = Pick<Contact, 'about' | 'aboutSetAtMs' | 'pictureId' | 'business' | 'hidden'>

/** What the answer to a query about a person says, with the picture and the profile of a business. */
export async function readShown(
  context: SessionContext,
  { sock }: Connection,
  jid: string,
  user: BinaryNode,
): Promise<Shown> {
  const status = getBinaryNodeChild(user, 'status')
  const isAboutHidden = status?.attrs.code !== undefined
  const business = getBinaryNodeChild(user, 'business')
  const [picture, profile] = await Promise.all([
    queryPicture(context, sock, jid, 'preview'),
    business ? queryBusiness(sock, jid, business) : null,
  ])
  const about = isAboutHidden ? '' : textIn(status)
  return {
    about: about === '' ? null : about,
    aboutSetAtMs: about === '' ? null : inMs(status?.attrs.t),
    pictureId: picture === 'hidden' || picture === 'none' ? null : picture.id,
    business: profile,
    hidden: [...(isAboutHidden ? ['about' as const] : []), ...(picture === 'hidden' ? ['picture' as const] : [])],
  }
}

interface Found {
  user: BinaryNode
  phone: string | null
  lid: string | null
}

/**
 * Asks the platform for a person, by number if it is known; throws 404 if the person is not on the platform. For someone
 * whom the number does not know yet, that is a check like any other, and counts as one.
 */
async function findPerson(
  context: SessionContext,
  sock: WASocket,
  jid: string,
  protocols: BinaryNode[],
): Promise<Found> {
  const { lids } = context
  const known = await lids.phoneOf(jid)
  if ((await lids.lidOf(jid)) === undefined) {
    const { isTaken, resetsAtMs } = await context.checkBudget.take(1)
    if (!isTaken) throw budgetSpent(context, resetsAtMs)
  }
  const asked = known === undefined ? node('user', { jid }) : userWithPhone(digitsOf(known))
  const [user] = await queryPeople(sock, [asked], protocols)
  if (!user) throw new Unanswered()
  if (getBinaryNodeChild(user, 'contact')?.attrs.type === 'out') throw notFound()
  const answered = user.attrs.jid === undefined ? jid : withoutDevice(user.attrs.jid)
  const lid = getBinaryNodeChild(user, 'lid')?.attrs.val ?? (await lids.lidOf(jid)) ?? null
  const phone = jidKind(answered) === 'user' ? answered : (known ?? null)
  await lids.remember(phone ?? undefined, lid ?? undefined, 'lookup')
  return { user, phone, lid }
}

/** The people whom the number has blocked. */
export async function listBlocks(context: SessionContext, { after, limit }: Of<'block_list'>): Promise<CommandResult> {
  const { sock } = openConnection(context)
  const answer = await queryServer(sock, 'get', 'blocklist')
  const items = getBinaryNodeChildren(getBinaryNodeChild(answer, 'list'), 'item')
  const people = await Promise.all(items.map(item => blockedIn(context, item)))
  const inOrder = people.sort((a, b) => (a.jid < b.jid ? -1 : 1))
  const { page, after: next } = pageOf(inOrder, after, limit)
  return { kind: 'blocks', people: page, after: next }
}

async function blockedIn({ lids }: SessionContext, { attrs }: BinaryNode): Promise<BlockedContact> {
  const jid = withoutDevice(attrs.jid ?? '')
  await lids.remember(jid, attrs.pn_jid, 'lookup')
  const phone = (await lids.phoneOf(jid)) ?? null
  return { jid: phone ?? jid, phone }
}

/** The platform wants the hidden identifier, and to block a person also the number. */
export async function changeBlock(
  context: SessionContext,
  { jid, isBlocked }: Of<'block_change'>,
): Promise<CommandResult> {
  const { sock } = openConnection(context)
  const names = await namesToBlock(context, sock, jid)
  const named = { action: isBlocked ? 'block' : 'unblock', jid: names.lid ?? names.phone! }
  const item = node('item', isBlocked ? { ...named, pn_jid: requireNumber(names.phone) } : named)
  await queryServer(sock, 'set', 'blocklist', [item])
  return { kind: 'done' }
}

async function namesToBlock(
  context: SessionContext,
  sock: WASocket,
  jid: string,
): Promise<{ phone: string | null; lid: string | null }> {
  const [phone, lid] = [await context.lids.phoneOf(jid), await context.lids.lidOf(jid)]
  if (phone !== undefined && lid !== undefined) return { phone, lid }
  return await findPerson(context, sock, jid, [node('contact'), node('lid')])
}

function requireNumber(phone: string | null): string {
  if (phone === null) throw refused('the platform blocks only people whose phone number is known')
  return phone
}

/** The file of a person's picture. */
export async function showPicture(
  context: SessionContext,
  { jid, size }: Of<'contact_picture'>,
): Promise<CommandResult> {
  const { sock } = openConnection(context)
  const found = await queryPicture(context, sock, (await context.lids.phoneOf(jid)) ?? jid, size)
  if (found === 'none') throw refused('the contact has no picture', 'not_found')
  if (found === 'hidden') throw refused('the contact hides the picture from this number', 'not_found')
  return { kind: 'picture', picture: await fetchPicture(context, found) }
}

export async function fetchPicture({ mediaRoute }: SessionContext, { id, url }: PicturePlace): Promise<Picture> {
  const address = URL.canParse(url) ? new URL(url) : undefined
  if (address?.protocol !== 'https:' || !mediaRoute.isOurs(address.hostname)) throw noPicture()
  const opened = await openFile(address, mediaRoute, AbortSignal.timeout(PICTURE_MS))
  if ('status' in opened) throw noPicture()
  const bytes = await readBounded(opened.body)
  return { id, mimetype: mimetypeOf(bytes), bytes: bytes.length, data: bytes.toString('base64') }
}

async function readBounded(body: AsyncIterable<unknown> & { destroy(): void }): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of body) {
      chunks.push(chunk as Buffer)
      length += (chunk as Buffer).length
      if (length > MAX_PICTURE_BYTES) break
    }
  } catch {
    throw noPicture()
  }
  if (length <= MAX_PICTURE_BYTES) return Buffer.concat(chunks)
  body.destroy()
  throw refused('the picture is too large')
}

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47])

const mimetypeOf = (bytes: Buffer): string => (bytes.subarray(0, 4).equals(PNG) ? 'image/png' : 'image/jpeg')

const noPicture = (): PlatformError => transient('the picture could not be fetched from the platform')

async function queryBusiness(sock: WASocket, jid: string, business: BinaryNode): Promise<BusinessProfile> {
  const asked = node('business_profile', { v: '244' }, [node('profile', { jid })])
  const answer = await queryServer(sock, 'get', 'w:biz', [asked])
  const profile = getBinaryNodeChild(getBinaryNodeChild(answer, 'business_profile'), 'profile')
  const text = (tag: string): string | null => getBinaryNodeChildString(profile, tag) || null
  return {
    name: verifiedNameIn(business),
    description: text('description'),
    category: getBinaryNodeChildString(getBinaryNodeChild(profile, 'categories'), 'category') || null,
    address: text('address'),
    email: text('email'),
    websites: getBinaryNodeChildren(profile, 'website').map(textIn).filter(Boolean).slice(0, BOUNDS.websitesShown),
    hours: hoursIn(profile),
  }
}

/** The name is inside a certificate. */
function verifiedNameIn(business: BinaryNode): string | null {
  const certificate = getBinaryNodeChild(business, 'verified_name')?.content
  if (!(certificate instanceof Uint8Array)) return null
  try {
    const { details } = proto.VerifiedNameCertificate.decode(certificate)
    return (details && proto.VerifiedNameCertificate.Details.decode(details).verifiedName) || null
  } catch {
    return null
  }
}

function hoursIn(profile: BinaryNode | undefined): BusinessProfile['hours'] {
  const hours = getBinaryNodeChild(profile, 'business_hours')
  if (!hours) return null
  const days = getBinaryNodeChildren(hours, 'business_hours_config')
    .slice(0, BOUNDS.openingHoursShown)
    .map(
      ({ attrs }): OpenDay => ({
        day: attrs.day_of_week ?? '',
        mode: HOURS_MODES.find(mode => mode === attrs.mode) ?? null,
        opens: minuteOf(attrs.open_time),
        closes: minuteOf(attrs.close_time),
      }),
    )
  return { timezone: hours.attrs.timezone ?? null, days }
}

const minuteOf = (text: string | undefined): number | null => (text && /^\d{1,4}$/.test(text) ? Number(text) : null)

function inMs(time: unknown): number | null {
  const seconds = unixSeconds(time)
  return seconds === undefined || seconds === 0 ? null : seconds * 1000
}
