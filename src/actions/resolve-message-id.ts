import { foreignSession, invalid } from '../domain/errors.ts'
import type { Outgoing } from '../domain/message.ts'
import type { Store } from '../store/store.ts'

interface Deps {
  store: Pick<Store, 'messages'>
}

/** Returns the platform's id of a message: callers may pass that id or ours. */
export async function resolveMessageId(
  { store }: Deps,
  accountId: string,
  field: string,
  messageId: string,
): Promise<string> {
  if (!messageId.startsWith('msg_')) return messageId
  const message = await store.messages.getMessage(messageId)
  if (message === undefined) throw invalid(`${field}: there is no message ${messageId}`, field)
  if (message.accountId !== accountId) throw foreignSession()
  return message.platformId
}

/** Replaces our ids by the platform's, for the messages that a reply or a reaction refers to. */
export async function resolveMessageIds(deps: Deps, accountId: string, outgoing: Outgoing): Promise<Outgoing> {
  const { content, quote } = outgoing
  const idOf = (field: string, messageId: string) => resolveMessageId(deps, accountId, field, messageId)
  return {
    content:
      content.type === 'reaction'
        ? { ...content, reactedMessageId: await idOf('reacted_message_id', content.reactedMessageId) }
        : content,
    quote: quote && { ...quote, messageId: await idOf('quoted_message_id', quote.messageId) },
  }
}
