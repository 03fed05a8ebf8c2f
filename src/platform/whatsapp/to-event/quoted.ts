import { normalizeMessageContent, type proto } from 'baileys'
import type { MessageEvent } from '../../../domain/event.ts'
import { withoutDevice } from '../../../domain/jid.ts'
import type { SessionContext } from '../session-context.ts'
import { plainText, readContent } from './content.ts'
import type { People } from './people.ts'

type Quoted = Pick<MessageEvent, 'quoted_message_id' | 'quoted_participant' | 'quoted_text'>

export async function quotedFields(context: SessionContext, content: proto.IMessage, people: People): Promise<Quoted> {
  const about = contextInfoOf(content)
  if (!about?.stanzaId) return {}
  const sender = withoutDevice(about.participant ?? people.chatJid)
  return {
    quoted_message_id: about.stanzaId,
    quoted_participant: people.isGroup ? sender : await context.lids.phoneFirst(sender),
    quoted_text: previewOf(about.quotedMessage),
  }
}

export function contextInfoOf(content: proto.IMessage): proto.IContextInfo | undefined {
  for (const part of Object.values(content) as unknown[]) {
    const info = (part as { contextInfo?: proto.IContextInfo | null } | null)?.contextInfo
    if (info) return info
  }
  return undefined
}

/** The text of the quoted message; a caption is not text (specification, `quoted_text`). */
function previewOf(quoted: proto.IMessage | null | undefined): string {
  const content = normalizeMessageContent(quoted)
  if (!content) return ''
  const text = plainText(content)
  if (text !== undefined) return text
  const { media, text: words } = readContent(content)
  return media ? '' : words
}
