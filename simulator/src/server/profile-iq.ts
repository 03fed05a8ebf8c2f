import { proto } from 'baileys'
import { behaviourOf } from '../behaviour.ts'
import { nowText, unixSeconds } from '../clock.ts'
import { saveUser, userByJid } from '../people.ts'
import { type BinaryNode, child, children, node } from '../wire/node.ts'
import type { LinkedDevice } from '../world/device.ts'
import type { Network } from '../world/network.ts'
import type { User } from '../world/person.ts'
import type { Business, Profile, ProfilePart } from '../world/profile.ts'
import { namesOf, watchersOf } from './announce-device.ts'
import { IqError } from './iq-error.ts'
import { push } from './outbox.ts'
import { stanzaId } from './stanzas.ts'

/** The about of a person; the platform names a refusal instead of one that is hidden. */
export function aboutNode({ profile }: User): BinaryNode {
  if (profile.hides.has('about')) return node('status', { code: '401', type: 'fail' })
  return node('status', { t: String(profile.aboutAt) }, Buffer.from(profile.about))
}

/** People who are no business have none. */
export function businessNode({ profile: { business } }: User): BinaryNode[] {
  if (!business) return []
  const details = proto.VerifiedNameCertificate.Details.encode({ verifiedName: business.name, issuer: 'smb:wa' })
  const certificate = proto.VerifiedNameCertificate.encode({ details: details.finish() }).finish()
  return [node('business', {}, [node('verified_name', { v: '1', verified_level: 'unknown' }, certificate)])]
}

/** Where a picture is. The platform says whether there is none (404) or whether it is hidden (401). */
export function answerPicture(network: Network, device: LinkedDevice, iq: BinaryNode): BinaryNode[] {
  const user = iq.attrs.target === undefined ? network.users.get(device.digits) : userByJid(network, iq.attrs.target)
  if (iq.attrs.type !== 'get' || child(iq, 'picture')?.attrs.query !== 'url') throw new IqError(400, 'bad-request')
  if (!user || behaviourOf(user) === 'absent') throw new IqError(404, 'item-not-found')
  const isHidden = user.profile.hides.has('picture') || user.blocked.has(device.digits)
  if (isHidden && user.digits !== device.digits) throw new IqError(401, 'not-authorized')
  const { picture } = user.profile
  if (!picture) throw new IqError(404, 'item-not-found')
  const { type } = child(iq, 'picture')!.attrs
  const { id, path } = picture
  return [node('picture', { id, type, url: network.media.url(path), direct_path: path })]
}

/** The profiles of businesses; the answer leaves out people who are none. */
export function answerBusiness(network: Network, _device: LinkedDevice, iq: BinaryNode): BinaryNode[] {
  const asked = child(iq, 'business_profile')
  if (iq.attrs.type !== 'get' || !asked) throw new IqError(400, 'bad-request')
  const profiles = children(asked, 'profile').flatMap(({ attrs: { jid } }) => {
    const business = userByJid(network, jid)?.profile.business
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

function change(network: Network, user: User, changed: Partial<Profile>): void {
  user.profile = { ...user.profile, ...changed }
  saveUser(network, user)
}

/** Tells the devices of numbers that know the person; nobody is told of what the person hides. */
function announce(network: Network, user: User, part: ProfilePart, type: string, content: BinaryNode): void {
  if (user.profile.hides.has(part)) return
  const { from } = namesOf(user)
  for (const watcher of watchersOf(network, user)) {
    const head = { type, from, id: stanzaId(network), t: nowText(network) }
    push(network, watcher, node('notification', head, [content]))
  }
}

export function changeAbout(network: Network, user: User, about: string): void {
  change(network, user, { about, aboutAt: unixSeconds(network) })
  announce(network, user, 'about', 'status', node('set', {}, Buffer.from(about)))
}

/** Without a file the person removes the picture. */
export function changePicture(network: Network, user: User, file: Uint8Array | undefined): void {
  const id = String(unixSeconds(network))
  change(network, user, { picture: file && { id, path: network.media.put(file) } })
  const { from } = namesOf(user)
  const attrs = { jid: from, id, hash: '2:47DEQpj8', author: from }
  announce(network, user, 'picture', 'picture', node(file ? 'set' : 'delete', attrs))
}

export function changeBusiness(network: Network, user: User, business: Business): void {
  change(network, user, { business })
}

/** The person shows this part to nobody, or to everyone again. */
export function hide(network: Network, user: User, part: ProfilePart, hidden: boolean): void {
  const hides = new Set(user.profile.hides)
  if (hidden) hides.add(part)
  else hides.delete(part)
  change(network, user, { hides })
}
