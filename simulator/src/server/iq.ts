import { nowText } from '../clock.ts'
import { getOwn } from '../get-own.ts'
import { currentOwner } from '../owner.ts'
import { type BinaryNode, child, children, node } from '../wire/node.ts'
import type { LinkedDevice } from '../world/device.ts'
import type { Network } from '../world/network.ts'
import { answerAppState } from './app-state-iq.ts'
import { answerBlocklist } from './blocklist-iq.ts'
import { answerCatalogue, answerOrder } from './catalogue-iq.ts'
import { answerChannel, answerChannelQuery } from './channel-iq.ts'
import { answerGroup } from './group-iq.ts'
import { IqError } from './iq-error.ts'
import { answerKeys } from './iq-keys.ts'
import { answerUsync } from './iq-usync.ts'
import { answerBusiness, answerPicture, answerStatus } from './profile-iq.ts'
import { removeDevice } from './linked-device.ts'
import { disconnect } from './login.ts'
import { transmit } from './outbox.ts'
import { answerPrivacy } from './privacy-iq.ts'
import { iqError, iqResult, streamError } from './stanzas.ts'

type Answer = (network: Network, device: LinkedDevice, iq: BinaryNode) => BinaryNode[] | undefined

/** The answer to a client's ping says the time. */
const PING = 'w:p'
const APP_STATE = 'w:sync:app:state'
/** What `silentQueries` concerns. */
const SILENCED = new Set(['w:mex', APP_STATE])

const ERRORS: Readonly<Record<number, string>> = {
  403: 'forbidden',
  404: 'item-not-found',
  406: 'not-acceptable',
  410: 'gone',
  429: 'rate-overlimit',
  500: 'internal-server-error',
  503: 'service-unavailable',
}

const ANSWERS: Readonly<Record<string, Answer>> = {
  encrypt: answerKeys,
  usync: answerUsync,
  abt: network => [props(network)],
  blocklist: answerBlocklist,
  privacy: answerPrivacy,
  'w:m': network => [mediaHosts(network)],
  'w:g2': answerGroup,
  'w:mex': answerChannelQuery,
  newsletter: answerChannel,
  [APP_STATE]: answerAppState,
  'w:profile:picture': answerPicture,
  'w:biz': answerBusiness,
  status: answerStatus,
  'w:biz:catalog': answerCatalogue,
  'fb:thrift_iq': answerOrder,
  md: unlink,
  'urn:xmpp:whatsapp:dirty': clean,
}

/** The flags of the platform that are on. */
function props({ faults }: Network): BinaryNode {
  const on = [...faults.flags].map(code => node('prop', { config_code: code, config_value: '1' }))
  return node('props', { protocol: '1' }, on)
}

function clean(network: Network, device: LinkedDevice, iq: BinaryNode): undefined {
  for (const { attrs } of children(iq, 'clean'))
    if (attrs.type === 'groups') network.faults.dirtyGroups.delete(device.digits)
}

function mediaHosts(network: Network): BinaryNode {
  const hosts = network.media
    .hosts()
    .map(hostname => node('host', { hostname, maxContentLengthBytes: String(100 * 1024 * 1024) }))
  return node(
    'media_conn',
    { auth: network.media.authOf(currentOwner()), ttl: '3600', auth_ttl: '3600', max_buckets: '1' },
    hosts,
  )
}

function unlink(network: Network, device: LinkedDevice, iq: BinaryNode): undefined {
  if (!child(iq, 'remove-companion-device')) return
  removeDevice(network, device)
  network.journal.afterCommit(() => disconnect(device, streamError('device_removed')))
}

/** Answers a query. Queries that the simulator does not know get an empty result, like most real ones. */
export function answerIq(network: Network, device: LinkedDevice, iq: BinaryNode): void {
  if (iq.attrs.type !== 'get' && iq.attrs.type !== 'set' && iq.attrs.type !== undefined) return
  if (SILENCED.has(iq.attrs.xmlns ?? '') && network.faults.silentQueries.has(device.digits)) return
  if (isForKeys(iq) && network.faults.silentKeys.has(device.digits)) return
  const answer = answerOf(network, device, iq)
  const isLost =
    iq.attrs.xmlns === 'w:g2' && iq.attrs.type === 'set' && network.faults.lostGroupAnswers.has(device.digits)
  if (!isLost) transmit(network, device, answer)
}

const isForKeys = (iq: BinaryNode): boolean => iq.attrs.xmlns === 'encrypt' && child(iq, 'key') !== undefined

function answerOf(network: Network, device: LinkedDevice, iq: BinaryNode): BinaryNode {
  try {
    const { id, to, xmlns = '' } = iq.attrs
    const refusal = network.faults.refusedQueries.get(`${device.digits} ${xmlns}`)
    if (refusal !== undefined) throw new IqError(refusal, ERRORS[refusal] ?? 'bad-request')
    const answer = iqResult(id, to, getOwn(ANSWERS, xmlns)?.(network, device, iq))
    return xmlns === PING ? { ...answer, attrs: { ...answer.attrs, t: nowText(network) } } : answer
  } catch (error) {
    if (error instanceof IqError) return iqError(iq.attrs.id, error.code, error.message)
    throw error
  }
}
