import { nowMs } from '../clock.ts'
import { getOwn } from '../get-own.ts'
import { type BinaryNode, child, children, node, textOf } from '../wire/node.ts'
import type { LinkedDevice } from '../world/device.ts'
import type { Network } from '../world/network.ts'
import { CHANNEL_QUERIES, type Variables } from './channel-queries.ts'
import { postsAfter, postsBefore } from './channel.ts'
import { IqError } from './iq-error.ts'

const MAX_COUNT = 300

/** Answers a device's request to a channel: for live updates, for posts, or for those it has missed. */
export function answerChannel(network: Network, device: LinkedDevice, iq: BinaryNode): BinaryNode[] | undefined {
  const [request] = children(iq)
  const isOfServer = request?.tag === 'messages'
  const channel = network.channels.get((isOfServer ? request.attrs.jid : iq.attrs.to) ?? '')
  if (!channel || channel.state === 'DELETED') throw new IqError(404, 'item-not-found')
  const of = { jid: channel.jid, t: String(channel.created) }
  if (isOfServer) {
    const { type, count, before } = request.attrs
    if (type !== 'jid' || !(Number(count) > 0 && Number(count) <= MAX_COUNT)) throw new IqError(400, 'bad-request')
    const until = before === undefined ? Number.POSITIVE_INFINITY : Number(before)
    return [node('messages', of, postsBefore(channel, until, Number(count)))]
  }
  if (request?.tag === 'live_updates') {
    const { liveUpdatesMs } = network.timing
    device.liveUpdates.set(channel.jid, nowMs(network) + liveUpdatesMs)
    return [node('live_updates', { duration: String(Math.ceil(liveUpdatesMs / 1000)) })]
  }
  const messages = node(
    'messages',
    of,
    postsAfter(channel, Number(request?.attrs.after ?? 0), Number(request?.attrs.count ?? 50)),
  )
  return request?.tag === 'message_updates' ? [node('message_updates', {}, [messages])] : [messages]
}

/** Answers the queries that travel as JSON; an id that the platform does not know, or no longer, gets an error. */
export function answerChannelQuery(network: Network, device: LinkedDevice, iq: BinaryNode): BinaryNode[] {
  const query = child(iq, 'query')
  const id = query?.attrs.query_id ?? ''
  const { variables } = JSON.parse(textOf(query)) as { readonly variables: Variables }
  const answer = network.faults.retiredQueries.has(id) ? undefined : getOwn(CHANNEL_QUERIES, id)
  return [node('result', {}, Buffer.from(JSON.stringify(answerTo(() => answer?.(network, device, variables)))))]
}

/** Refusals are inside of the answer. */
function answerTo(run: () => Record<string, unknown> | undefined): object {
  try {
    const data = run()
    return data ? { data } : refusal(400)
  } catch (error) {
    if (error instanceof IqError) return refusal(error.code)
    throw error
  }
}

const refusal = (code: number): object => ({
  data: null,
  errors: [{ message: '', path: [''], extensions: { error_code: code, is_retryable: false, severity: 'CRITICAL' } }],
})
