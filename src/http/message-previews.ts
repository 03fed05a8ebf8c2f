import type { Context } from '../context.ts'
import type { Content, Message, Outgoing } from '../domain/message.ts'
import { aboutMessage } from '../domain/sealed.ts'
import type { Store } from '../store/store.ts'

const MAX_LENGTH = 120

/** The beginning of the content of sandbox messages, by message id; lists never show the content of real numbers. */
export async function readPreviews(
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
    case 'list':
      return content.text
    case 'media':
      return content.caption || content.filename || ''
    case 'reaction':
      return content.emoji
    case 'location':
    case 'poll':
      return content.name
    case 'contacts':
      return content.contacts.map(({ name }) => name).join(', ')
    default: {
      const never: never = content
      return never
    }
  }
}
