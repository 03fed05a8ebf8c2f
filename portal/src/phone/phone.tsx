import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useLive } from '../api/live.ts'
import type { Session } from '../api/records.ts'
import { bareId } from '../api/sessions.ts'
import { ErrorNote } from '../ui/page.tsx'
import { ChatList } from './chat-list.tsx'
import { ChatView } from './chat-view.tsx'
import { chatsOf, heldQuery, parseKey } from './chats.ts'

interface PhoneProps {
  /** Distinguishes two phones. */
  label: string
  session: Session
  chat: string | undefined
  onChat: (chat: string | undefined) => void
}

/** The phone of a contact, with its chats with the sandbox number. */
export function Phone({ label, session, chat: chatKey, onChat }: PhoneProps) {
  // A page that loads with a chat open does not move the focus.
  const [isOpened, setIsOpened] = useState(false)
  const open = (key: string | undefined) => {
    setIsOpened(true)
    onChat(key)
  }
  const contact = chatKey === undefined ? undefined : parseKey(chatKey).contact
  const { data, error, refetch } = useQuery(heldQuery(session.id, contact))
  useLive('message', message => {
    if (bareId(message.session_id) === bareId(session.id)) void refetch()
  })
  useLive('delivery', delivery => {
    if (bareId(delivery.session_id) === bareId(session.id)) void refetch()
  })
  const chats = chatsOf(data?.data ?? [])
  const newest = data?.data[0]?.message_id ?? null
  const chat =
    chatKey === undefined
      ? undefined
      : (chats.find(({ key }) => key === chatKey) ?? { key: chatKey, ...parseKey(chatKey), messages: [] })
  return (
    <section
      aria-label={label}
      className="mx-auto flex h-[calc(100dvh-240px)] min-h-[420px] sm:h-[min(720px,calc(100dvh-290px))] lg:h-[min(720px,calc(100dvh-170px))] w-full flex-col overflow-hidden border bg-phone max-sm:rounded-xl sm:max-w-[380px] sm:rounded-[36px] sm:border-[10px] sm:border-[#1b2321] sm:shadow-xl sm:dark:border-[#2b3734]"
    >
      {error && <ErrorNote error={error} retry={refetch} />}
      {chat === undefined ? (
        <ChatList chats={chats} loading={data === undefined} onOpen={open} />
      ) : (
        <ChatView
          key={chat.key}
          session={session}
          chat={chat}
          newest={newest}
          takesFocus={isOpened}
          onBack={() => onChat(undefined)}
        />
      )}
    </section>
  )
}
