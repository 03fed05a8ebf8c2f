import { proto } from 'baileys'
import { behaviourOf } from '../behaviour.ts'
import { nowText, unixSeconds } from '../clock.ts'
import { isGroupJid, numberJid } from '../jid.ts'
import { saveUser, userByJid, userOf } from '../people.ts'
import { type BinaryNode, bytesOf, child, children, node } from '../wire/node.ts'
import type { LinkedDevice } from '../world/device.ts'
import type { Network } from '../world/network.ts'
import type { User } from '../world/person.ts'
import type { Business, Profile, ProfilePart } from '../world/profile.ts'
import { namesOf, watchersOf } from './announce-device.ts'
import { profileTo, showFace } from './face.ts'
import { answerGroupPicture } from './group-picture.ts'
import { IqError } from './iq-error.ts'
import { requirePicture } from './picture-rules.ts'
import { push } from './outbox.ts'
import { stanzaId } from './stanzas.ts'

/** The about of a person; the platform names a refusal instead of one that is hidden. */
export function aboutNode({ about, aboutAt, hides }: Profile): BinaryNode {
  if (hides.has('about')) return node('status', { code: '401', type: 'fail' })
  return node('status', { t: String(aboutAt) }, Buffer.from(about))
}

/** People who are no business have none. */
export function businessNode({ business }: Profile): BinaryNode[] {
  if (!business) return []
  const details = proto.VerifiedNameCertificate.Details.encode({ verifiedName: business.name, issuer: 'smb:wa' })
  const certificate = proto.VerifiedNameCertificate.encode({ details: details.finish() }).finish()
  return [node('business', {}, [node('verified_name', { v: '1', verified_level: 'unknown' }, certificate)])]
}

/** Where a picture is. The platform says whether there is none (404) or whether it is hidden (401). */
export function answerPicture(network: Network, device: LinkedDevice, iq: BinaryNode): BinaryNode[] {
  if (isGroupJid(iq.attrs.target)) return answerGroupPicture(network, device, iq)
  if (iq.attrs.type === 'set') return setPicture(network, device, iq)
  const user = iq.attrs.target === undefined ? network.users.get(device.digits) : userByJid(network, iq.attrs.target)
  if (iq.attrs.type !== 'get' || child(iq, 'picture')?.attrs.query !== 'url') throw new IqError(400, 'bad-request')
  if (!user || behaviourOf(user) === 'absent') throw new IqError(404, 'item-not-found')
  const { picture, hides } = profileTo(user, device.digits)
  const isHidden = hides.has('picture') || user.blocked.has(device.digits)
  if (isHidden && user.digits !== device.digits) throw new IqError(401, 'not-authorized')
  if (!picture) throw new IqError(404, 'item-not-found')
  const { type } = child(iq, 'picture')!.attrs
  const { id, path } = picture
  return [node('picture', { id, type, url: network.media.url(path), direct_path: path })]
}

/** A device sets the picture of its own number; without a file it removes it. */
function setPicture(network: Network, device: LinkedDevice, iq: BinaryNode): BinaryNode[] {
  if (iq.attrs.target !== undefined) throw new IqError(400, 'bad-request')
  const user = userOf(network, device.digits)
  const picture = child(iq, 'picture')
  if (!picture) {
    changePicture(undefined, { network, user, by: device })
    return []
  }
  const file = bytesOf(picture)
  if (picture.attrs.type !== 'image') throw new IqError(406, 'not-acceptable')
  requirePicture(file)
  changePicture(file, { network, user, by: device })
  return [node('picture', { id: user.profile.picture?.id })]
}

/** The platform's apps accept no longer about. */
const MAX_ABOUT = 139

/** A device writes the about of its own number, or asks who sees its status posts. */
export function answerStatus(network: Network, device: LinkedDevice, iq: BinaryNode): BinaryNode[] {
  if (iq.attrs.type === 'get' && child(iq, 'privacy')) return [audienceNode(network, userOf(network, device.digits))]
  const status = child(iq, 'status')
  if (iq.attrs.type !== 'set' || !status) throw new IqError(400, 'bad-request')
  const about = bytesOf(status).toString()
  if (Array.from(about).length > MAX_ABOUT) throw new IqError(406, 'not-acceptable')
  changeAbout(about, { network, user: userOf(network, device.digits), by: device })
  return []
}

/** The lists that the owner has made; one of them is in use. */
function audienceNode(network: Network, { statusAudience: { type, people } }: User): BinaryNode {
  const users = people.map(digits => node('user', { jid: namesOf(userOf(network, digits)).lid }))
  return node('privacy', {}, [node('list', { type, default: 'true' }, users)])
}

/** The profiles of businesses; the answer leaves out people who are none. */
export function answerBusiness(network: Network, { digits }: LinkedDevice, iq: BinaryNode): BinaryNode[] {
  const asked = child(iq, 'business_profile')
  if (iq.attrs.type !== 'get' || !asked) throw new IqError(400, 'bad-request')
  const profiles = children(asked, 'profile').flatMap(({ attrs: { jid } }) => {
    const person = userByJid(network, jid)
    const business = person && profileTo(person, digits).business
    return business ? [node('profile', { jid, tag: '1' }, profileNodes(business))] : []
  })
  return [node('business_profile', { v: asked.attrs.v }, profiles)]
}

function profileNodes({ description, category, address, email, websites, hours }: Business): BinaryNode[] {
  const text = (tag: string, value: string | undefined): BinaryNode[] =>
    value === undefined ? [] : [node(tag, {}, Buffer.from(value))]
  return [
    ...text('address', address),
    ...text('description', description),
    ...(websites ?? []).flatMap(website => text('website', website)),
    ...text('email', email),
    ...(category === undefined ? [] : [node('categories', {}, [node('category', { id: '1' }, Buffer.from(category))])]),
    ...(hours === undefined ? [] : [hoursNode(hours)]),
  ]
}

function hoursNode({ timezone, days }: NonNullable<Business['hours']>): BinaryNode {
  const configs = days.map(({ day, mode, opens, closes }) =>
    node('business_hours_config', {
      day_of_week: day,
      mode,
      open_time: opens === undefined ? undefined : String(opens),
      close_time: closes === undefined ? undefined : String(closes),
    }),
  )
  return node('business_hours', { timezone }, configs)
}

/** A change of a person's profile, for everyone or as one number sees it. */
interface Change {
  readonly network: Network
  readonly user: User
  /** Digits of the number. */
  readonly to?: string | undefined
  /** The person's device that made it; otherwise it was the phone. */
  readonly by?: LinkedDevice
}

const currentProfile = ({ user, to }: Change): Profile => (to === undefined ? user.profile : profileTo(user, to))

function change(change: Change, changed: Partial<Profile>): void {
  const { network, user, to } = change
  const profile = { ...currentProfile(change), ...changed }
  if (to !== undefined) return showFace(network, user, to, { profile })
  user.profile = profile
  saveUser(network, user)
}

/**
 * Tells the devices of numbers that know the person; nobody is told of what the person hides. The person's own devices
 * are told only that something has changed.
 */
function announce(change: Change, part: ProfilePart, type: string, content: BinaryNode): void {
  const { network, user, to, by } = change
  for (const own of to === undefined ? user.devices.values() : []) {
    if (own === by) continue
    const head = { type: 'account_sync', from: numberJid(user.digits), id: stanzaId(network), t: nowText(network) }
    push(network, own, node('notification', head, [node(type)]))
  }
  if (currentProfile(change).hides.has(part)) return
  const { from } = namesOf(user)
  const told = to === undefined ? watchersOf(network, user) : [...(network.users.get(to)?.devices.values() ?? [])]
  for (const watcher of told) {
    const head = { type, from, id: stanzaId(network), t: nowText(network) }
    push(network, watcher, node('notification', head, [content]))
  }
}

export function changeAbout(about: string, person: Change): void {
  change(person, { about, aboutAt: unixSeconds(person.network) })
  announce(person, 'about', 'status', node('set', {}, Buffer.from(about)))
}

/** The time of the change; another picture has another id. */
function pictureId(network: Network, { picture }: Profile): string {
  const now = unixSeconds(network)
  return String(picture === undefined ? now : Math.max(now, Number(picture.id) + 1))
}

/** Without a file the person removes the picture. */
export function changePicture(file: Uint8Array | undefined, person: Change): void {
  const { network, user } = person
  const id = pictureId(network, currentProfile(person))
  change(person, { picture: file && { id, path: network.media.put(file) } })
  const { from } = namesOf(user)
  const attrs = { jid: from, id, hash: '2:47DEQpj8', author: from }
  announce(person, 'picture', 'picture', node(file ? 'set' : 'delete', attrs))
}

export function changeBusiness(business: Business, person: Change): void {
  change(person, { business })
}

/** The person shows this part to nobody, or to everyone again. */
export function hide(part: ProfilePart, hidden: boolean, person: Change): void {
  const hides = new Set(currentProfile(person).hides)
  if (hidden) hides.add(part)
  else hides.delete(part)
  change(person, { hides })
}
