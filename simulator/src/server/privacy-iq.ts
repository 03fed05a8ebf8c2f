import { nowText } from '../clock.ts'
import { numberJid } from '../jid.ts'
import { saveUser, userOf } from '../people.ts'
import { type BinaryNode, child, children, node } from '../wire/node.ts'
import type { LinkedDevice } from '../world/device.ts'
import type { Network } from '../world/network.ts'
import type { User } from '../world/person.ts'
import { IqError } from './iq-error.ts'
import { push } from './outbox.ts'
import { stanzaId } from './stanzas.ts'
import { takeTokens } from './tokens.ts'

const AUDIENCES = ['all', 'contacts', 'contact_blacklist', 'none']

/** The settings and their values. */
const SETTINGS: ReadonlyMap<string, readonly string[]> = new Map([
  ['readreceipts', ['all', 'none']],
  ['last', AUDIENCES],
  ['online', ['all', 'match_last_seen']],
  ['profile', AUDIENCES],
  ['status', AUDIENCES],
  ['groupadd', ['all', 'contacts', 'contact_blacklist']],
  ['calladd', ['all', 'known']],
  ['messages', ['all', 'contacts']],
])

/** Answers who sees what of a number, and changes it; the same namespace has the tokens. */
export function answerPrivacy(network: Network, device: LinkedDevice, iq: BinaryNode): BinaryNode[] | undefined {
  const user = userOf(network, device.digits)
  if (iq.attrs.type === 'get') return [privacyNode(user, [...SETTINGS.keys()])]
  const tokens = child(iq, 'tokens')
  if (tokens) {
    takeTokens(network, device, tokens)
    return undefined
  }
  return [changePrivacy(network, device, user, children(child(iq, 'privacy'), 'category'))]
}

function privacyNode(user: User, names: readonly string[]): BinaryNode {
  const categories = names.map(name => node('category', { name, value: user.privacy.get(name) ?? 'all' }))
  return node('privacy', {}, categories)
}

/** A list of people to leave out comes with the change itself, or it is refused. */
function changePrivacy(
  network: Network,
  device: LinkedDevice,
  user: User,
  categories: readonly BinaryNode[],
): BinaryNode {
  for (const { attrs, content } of categories) {
    const { name = '', value = '' } = attrs
    if (!SETTINGS.get(name)?.includes(value)) throw new IqError(400, 'bad-request')
    if (value === 'contact_blacklist' && !content) throw new IqError(400, 'bad-request')
  }
  if (categories.length === 0) throw new IqError(400, 'bad-request')
  for (const { attrs } of categories) user.privacy.set(attrs.name ?? '', attrs.value ?? '')
  saveUser(network, user)
  const changed = privacyNode(
    user,
    categories.map(({ attrs }) => attrs.name ?? ''),
  )
  for (const other of user.devices.values()) {
    if (other === device) continue
    const head = { type: 'account_sync', from: numberJid(user.digits), id: stanzaId(network), t: nowText(network) }
    const news = node('privacy', { action: 'modify' }, children(changed, 'category'))
    push(network, other, node('notification', head, [news]))
  }
  return changed
}
