import type { Connection } from '../link/connection.ts'
import { type DirectMessage, writeToDevices } from '../recipients/write-to-devices.ts'
import type { SessionContext } from '../session-context.ts'
import { withoutWrapper } from '../to-message/wrapped.ts'
import type { Address } from './addressing.ts'

type SentMessage = Omit<DirectMessage, 'to'> & { readonly address: Address }

/**
 * The platform knows devices of a direct chat that the number did not know when it sent a message: they get the message
 * too, under the same id. `sentTo` are the devices that have it.
 */
export async function sendToMissing(
  context: SessionContext,
  { sock }: Connection,
  { address, platformId, message, attributes, nodes = [] }: SentMessage,
  sentTo: readonly string[],
): Promise<void> {
  const { to, phone, form } = address
  const missing = await context.recipients.missing(sock, to, sentTo)
  if (missing.length === 0) return
  const token = form === 'lid' ? await context.tokens.nodeFor(to) : undefined
  const direct = {
    to,
    platformId,
    message: withoutWrapper(message),
    attributes: { ...attributes, ...(phone !== undefined && { peer_recipient_pn: phone }) },
    nodes: [...nodes, ...(token ? [token] : [])],
  }
  await writeToDevices(sock, direct, missing)
}
