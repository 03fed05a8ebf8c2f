import type { Context } from '../context.ts'
import type { Content, Message, Outgoing } from '../domain/message.ts'
import type { Hold } from '../domain/pace.ts'
import { aboutMessage } from '../domain/sealed.ts'
import type { Store } from '../store/store.ts'

const MAX_LENGTH = 120

/** What the record of a message shows besides its own columns, by message id. */
export interface MessageDetails {
  previews: ReadonlyMap<string, string>
  holds: ReadonlyMap<string, Hold>
}

type DetailDeps = Pick<Context, 'seal'> & { store: Pick<Store, 'commands' | 'messages'> }

export async function readDetails(deps: DetailDeps, messages: readonly Message[]): Promise<MessageDetails> {
  const waiting = messages.filter(({ state }) => state === 'queued' || state === 'scheduled')
  const held = await deps.store.commands.readHolds(waiting.map(({ id }) => id))
  return { previews: await readPreviews(deps, messages), holds: new Map(held.map(hold => [hold.id, hold])) }
}

/** The beginning of the content of sandbox messages; lists never show the content of real numbers. */
async function readPreviews(
  { store, seal }: Pick<Context, 'seal'> & { store: Pick<Store, 'messages'> },
  messages: readonly Message[],
): Promise<ReadonlyMap<string, string>> {
  const contents = await store.messages.readSandboxContents(messages.map(({ id }) => id))
  return new Map(
    contents.flatMap(({ id, sealed }) => {
      const text = opened(seal, id, sealed)
      return text === '' ? [] : [[id, text] as const]
    }),
  )
}

/** A message whose key is not available has no preview; the list is shown all the same. */
function opened(seal: Context['seal'], id: string, sealed: Uint8Array): string {
  try {
    return previewOf(seal.openJson<Outgoing>(sealed, aboutMessage(id)).content)
  } catch {
    return ''
  }
}

function previewOf(content: Content): string {
  const words = textOf(content).replace(/\s+/g, ' ').trim()
  const end = /[\ud800-\udbff]/.test(words.charAt(MAX_LENGTH - 1)) ? MAX_LENGTH - 1 : MAX_LENGTH
  return words.slice(0, end)
}

function textOf(content: Content): string {
  switch (content.type) {
    case 'text':
    case 'buttons':
    case 'carousel':
    case 'list':
      return content.text
    case 'media':
      return content.caption || content.filename || ''
    case 'event_answer':
      return content.answer
    case 'reaction':
      return content.emoji
    case 'location':
    case 'poll':
    case 'event':
    case 'event_change':
      return content.name
    case 'contacts':
      return content.contacts.map(({ name }) => name).join(', ')
    case 'album':
    case 'forward':
    case 'pin':
    case 'keep':
      return ''
    default: {
      const never: never = content
      return never
    }
  }
}
