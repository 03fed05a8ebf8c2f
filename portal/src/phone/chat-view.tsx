import { useQuery } from '@tanstack/react-query'
import { ArrowLeft, Phone as PhoneIcon, PhoneOff, Video } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { SandboxMessage, Session } from '../api/records.ts'
import { nameOf } from '../api/sessions.ts'
import { IconButton } from '../ui/button.tsx'
import { toast } from '../ui/toast.tsx'
import { Avatar } from './avatar.tsx'
import { Bubble } from './bubble.tsx'
import { type Chat, chatTitle } from './chats.ts'
import { Composer } from './composer.tsx'
import { type Sandbox, useSandbox } from './use-sandbox.ts'
import { conditionsQuery } from './watched.ts'
import { t } from '../t.ts'

interface ChatViewProps {
  session: Session
  chat: Chat
  /** Changes when something new has come. */
  newest: string | null
  takesFocus: boolean
  onBack: () => void
}

/** One chat on the contact's phone. The contact's messages are on the right. */
export function ChatView({ session, chat, newest, takesFocus, onBack }: ChatViewProps) {
  const sandbox = useSandbox(session.id, chat.key)
  const [quoted, setQuoted] = useState<SandboxMessage | null>(null)
  const log = useRef<HTMLDivElement>(null)
  useEffect(() => {
    log.current?.scrollTo({ top: log.current.scrollHeight })
  }, [newest, chat.messages.length])
  const shown = chat.messages.filter(message => message.type !== 'reaction')
  return (
    <>
      <Head session={session} chat={chat} sandbox={sandbox} onBack={onBack} />
      <div
        ref={log}
        tabIndex={0}
        role="log"
        aria-label={t('Messages')}
        className="min-h-0 flex-1 space-y-1.5 overflow-y-auto px-3 py-3"
      >
        {shown.length === 0 && (
          <p className="mx-auto mt-8 w-fit rounded-lg bg-surface px-3 py-1.5 text-center text-[13px] text-muted">
            {t('Write to {name} as this contact.', { name: nameOf(session) })}
          </p>
        )}
        {shown.map(message => (
          <Bubble
            key={message.message_id}
            message={message}
            reactions={reactionsTo(chat, message)}
            quoted={chat.messages.find(other => other.message_id === message.quoted_message_id)}
            sandbox={sandbox}
            onReply={() => setQuoted(message)}
          />
        ))}
      </div>
      <Composer sandbox={sandbox} quoted={quoted} takesFocus={takesFocus} onUnquote={() => setQuoted(null)} />
    </>
  )
}

/** The last reaction of each side; an empty one removes it. */
function reactionsTo(chat: Chat, message: SandboxMessage): string[] {
  const bySender = new Map<string, string>()
  for (const other of chat.messages) {
    if (other.type === 'reaction' && other.reacted_message_id === message.message_id)
      bySender.set(other.from, other.text)
  }
  return [...bySender.values()].filter(emoji => emoji !== '')
}

function Head({
  session,
  chat,
  sandbox,
  onBack,
}: {
  session: Session
  chat: Chat
  sandbox: Sandbox
  onBack: () => void
}) {
  const online = useQuery(conditionsQuery(session.id, chat.contact)).data?.online ?? false
  const [callId, setCallId] = useState<string | null>(null)
  const call = async (video: boolean) => {
    const answer = await sandbox.act({ action: 'call', event: 'offer', video })
    if (answer?.call_id) {
      setCallId(answer.call_id)
      toast.done(t('Calling {name}.', { name: nameOf(session) }))
    }
  }
  const hangUp = () => {
    if (callId !== null) void sandbox.act({ action: 'call', event: 'terminate', call_id: callId })
    setCallId(null)
  }
  return (
    <header className="flex items-center gap-1 border-b bg-surface px-2 py-2">
      <IconButton label={t('Back to the chats')} icon={ArrowLeft} onClick={onBack} />
      <Avatar name={chatTitle(chat)} small />
      <div className="ml-1.5 min-w-0 flex-1">
        <h2 className="truncate font-semibold">{chatTitle(chat)}</h2>
        <p className="text-[12px] text-muted">{online ? t('Online') : t('Offline')}</p>
      </div>
      {callId === null ? (
        <>
          <IconButton label={t('Call')} icon={PhoneIcon} onClick={() => void call(false)} />
          <IconButton label={t('Video call')} icon={Video} onClick={() => void call(true)} />
        </>
      ) : (
        <IconButton label={t('Hang up')} icon={PhoneOff} onClick={hangUp} className="bg-danger-soft text-danger" />
      )}
    </header>
  )
}
