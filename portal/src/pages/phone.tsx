import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Columns2, Plus, TabletSmartphone } from 'lucide-react'
import { useState } from 'react'
import type { Session } from '../api/records.ts'
import { bareId, nameOf, sessionsQuery } from '../api/sessions.ts'
import { AddSandboxNumber } from '../dialogs/add-sandbox-number.tsx'
import { sendCurl } from '../dialogs/send-curl.ts'
import { chatsOf, FIRST_CONTACT, heldQuery, parseKey } from '../phone/chats.ts'
import { Conditions } from '../phone/conditions.tsx'
import { EventFeed, useFeedPending } from '../phone/event-feed.tsx'
import { Phone } from '../phone/phone.tsx'
import { Switches } from '../phone/switches.tsx'
import { Button } from '../ui/button.tsx'
import { classes } from '../ui/classes.ts'
import { CodeBlock } from '../ui/code-block.tsx'
import { SelectField } from '../ui/field.tsx'
import { Empty, ErrorNote, Page, Section } from '../ui/page.tsx'
import { Segmented } from '../ui/segmented.tsx'
import { t } from '../t.ts'

export function PhonePage() {
  const { data, error, refetch } = useQuery(sessionsQuery)
  const { number } = useSearch({ from: '/inside/phone' })
  const sandbox = data?.filter(session => session.platform === 'sandbox')
  const session = sandbox?.find(({ id }) => number !== undefined && bareId(id) === bareId(number)) ?? sandbox?.[0]
  return (
    <Page
      title={t('Sandbox phone')}
      lead={
        <span className="max-sm:sr-only">
          {t('You are the other side: write to your number as a contact would, and watch what your webhook receives.')}
        </span>
      }
      action={
        session ? (
          <Pick sessions={sandbox ?? []} session={session} />
        ) : (
          data === undefined && <div aria-hidden className="h-9 w-[260px]" />
        )
      }
    >
      {error && <ErrorNote error={error} retry={refetch} />}
      {!data && !error && (
        <div aria-hidden className="skeleton mx-auto h-[600px] max-w-[380px] rounded-[36px] lg:mx-0" />
      )}
      {data && !session && <NoSandbox />}
      {session && <Bench key={session.id} session={session} />}
    </Page>
  )
}

function Pick({ sessions, session }: { sessions: Session[]; session: Session }) {
  const navigate = useNavigate({ from: '/phone' })
  const { second } = useSearch({ from: '/inside/phone' })
  const toggle = () =>
    void navigate({
      search: ({ second: _second, ...rest }) => (second === undefined ? { ...rest, second: 'list' } : rest),
    })
  return (
    <>
      <SelectField
        label={t('Number')}
        hideLabel
        className="min-w-40"
        value={session.id}
        onChange={event => void navigate({ search: { number: event.target.value } })}
        choices={sessions.map(one => ({ value: one.id, label: nameOf(one) }))}
      />
      <Button icon={Columns2} onClick={toggle} aria-pressed={second !== undefined}>
        {second === undefined ? t('Second phone') : t('One phone')}
      </Button>
    </>
  )
}

type Part = 'phone' | 'second' | 'events' | 'conditions'

/** Side by side where there is room; on a phone one part at a time. */
function Bench({ session }: { session: Session }) {
  const { chat, second } = useSearch({ from: '/inside/phone' })
  const navigate = useNavigate({ from: '/phone' })
  const [part, setPart] = useState<Part>('phone')
  const feedPending = useFeedPending(session)
  const open = (name: 'chat' | 'second', key: string | undefined) =>
    void navigate({ search: old => ({ ...old, [name]: key ?? (name === 'second' ? 'list' : undefined) }) })
  const shown: Part = part === 'second' && second === undefined ? 'phone' : part
  const on = (name: Part, className = '') => classes(shown !== name && 'max-lg:hidden', className)
  return (
    <>
      <div className="mb-3 overflow-x-auto lg:hidden">
        <Segmented label={t('Shown')} value={shown} choices={partsOf(second !== undefined)} onChange={setPart} />
      </div>
      <div className="flex flex-col gap-6 lg:flex-row lg:items-start">
        <div
          className={classes(
            'flex shrink-0 flex-col gap-4 xl:flex-row',
            shown !== 'phone' && shown !== 'second' && 'max-lg:hidden',
            second === undefined ? 'lg:w-[380px]' : 'lg:w-[340px] xl:w-[616px] 2xl:w-[776px]',
          )}
        >
          <div className={on('phone', 'min-w-0 flex-1')}>
            <Phone label={t('Phone')} session={session} chat={chat} onChat={key => open('chat', key)} />
          </div>
          {second !== undefined && (
            <div className={on('second', 'min-w-0 flex-1')}>
              <Phone
                label={t('Second phone')}
                session={session}
                chat={second === 'list' ? undefined : second}
                onChat={key => open('second', key)}
              />
            </div>
          )}
        </div>
        <div className="min-w-0 flex-1 space-y-6">
          <div className={on('events')}>
            <EventFeed session={session} />
          </div>
          <div className={on('conditions', classes('space-y-4', feedPending && 'lg:hidden'))}>
            <Switches session={session} contact={chat === undefined ? FIRST_CONTACT : parseKey(chat).contact} />
            <LastSend session={session} chatKey={chat} />
            <Conditions session={session} />
          </div>
        </div>
      </div>
    </>
  )
}

const partsOf = (two: boolean): { value: Part; label: string }[] => [
  { value: 'phone', label: t('Phone') },
  ...(two ? [{ value: 'second', label: t('Second phone') } as const] : []),
  { value: 'events', label: t('Events') },
  { value: 'conditions', label: t('Conditions') },
]

/** The command behind the last text that the open chat received. */
function LastSend({ session, chatKey }: { session: Session; chatKey: string | undefined }) {
  const contact = chatKey === undefined ? undefined : parseKey(chatKey).contact
  const held = useQuery(heldQuery(session.id, contact)).data?.data ?? []
  const chat = chatsOf(held).find(({ key }) => key === chatKey)
  const last = chat?.messages.findLast(message => !message.from_me && message.type === 'text')
  const to = chat?.group ?? chat?.contact ?? FIRST_CONTACT
  return (
    <Section title={last ? t('Send the last message again') : t('Send to the phone')}>
      <CodeBlock
        label={last ? t('The last message that the phone received') : t('From {name}', { name: nameOf(session) })}
        code={sendCurl(session.id, to, last?.text ?? t('Hello Ada'))}
      />
    </Section>
  )
}

function NoSandbox() {
  const [adding, setAdding] = useState(false)
  return (
    <Empty
      icon={TabletSmartphone}
      title={t('No sandbox number yet')}
      actions={
        <Button look="primary" icon={Plus} onClick={() => setAdding(true)}>
          {t('Add a sandbox number')}
        </Button>
      }
    >
      {t('A sandbox number works like a linked phone; this page is the phone of a contact who writes to it.')}
      {adding && <AddSandboxNumber onClose={() => setAdding(false)} />}
    </Empty>
  )
}
