import { MessageSquarePlus } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { IconButton } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { FormActions } from '../ui/form-actions.tsx'
import { Avatar } from './avatar.tsx'
import { type Chat, chatTitle, FIRST_CONTACT, keyOf, nameContact, preview } from './chats.ts'
import { t } from '../t.ts'

/** The last digits of a contact decide how it answers. */
const BEHAVIOURS: readonly [string, string][] = [
  [FIRST_CONTACT, t('Receives, and reads after a second')],
  ['15551230201', t('Receives, never reads')],
  ['15551230404', t('Is not on the platform')],
  ['15551230463', t('Is refused by the platform')],
  ['15551230503', t('Is never acknowledged')],
]

interface ChatListProps {
  chats: readonly Chat[]
  loading: boolean
  onOpen: (key: string) => void
}

/** The chats of the contacts with the number, and the button for a new one. */
export function ChatList({ chats, loading, onOpen }: ChatListProps) {
  const [adding, setAdding] = useState(false)
  return (
    <>
      <header className="flex items-center justify-between border-b bg-surface py-2 pr-2 pl-5">
        <h2 className="text-base font-semibold">{t('Chats')}</h2>
        <IconButton label={t('New chat')} icon={MessageSquarePlus} onClick={() => setAdding(true)} />
      </header>
      <ul className="min-h-0 flex-1 divide-y overflow-y-auto bg-surface" tabIndex={0} aria-label={t('Chats')}>
        {chats.map(chat => (
          <li key={chat.key}>
            <ChatRow title={chatTitle(chat)} text={preview(chat.messages.at(-1))} onOpen={() => onOpen(chat.key)} />
          </li>
        ))}
        {!loading && !chats.some(chat => chat.key === FIRST_CONTACT) && (
          <li>
            <ChatRow
              title={chatTitle({ contact: FIRST_CONTACT })}
              text={t('Write as this contact')}
              onOpen={() => onOpen(FIRST_CONTACT)}
            />
          </li>
        )}
      </ul>
      {adding && <NewChat onOpen={onOpen} onClose={() => setAdding(false)} />}
    </>
  )
}

function ChatRow({ title, text, onOpen }: { title: string; text: string; onOpen: () => void }) {
  return (
    <button
      type="button"
      onClick={onOpen}
      className="flex w-full items-center gap-3 px-4 py-3 text-left hover:bg-raised"
    >
      <Avatar name={title} />
      <span className="min-w-0">
        <span className="block truncate font-medium">{title}</span>
        <span className="block truncate text-[13px] text-muted">{text}</span>
      </span>
    </button>
  )
}

function NewChat({ onOpen, onClose }: { onOpen: (key: string) => void; onClose: () => void }) {
  const [contact, setContact] = useState(FIRST_CONTACT)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const digits = contact.replace(/\D/g, '')
    const name = String(form.get('name')).trim()
    const group = String(form.get('group')).trim()
    if (name !== '') nameContact(digits, name)
    onClose()
    onOpen(keyOf(digits, group === '' ? undefined : group))
  }
  return (
    <Dialog title={t('New chat')} onClose={onClose}>
      <form onSubmit={submit} className="space-y-4">
        <TextField
          label={t('Number of the contact')}
          value={contact}
          onChange={event => setContact(event.target.value)}
          required
          pattern="[+\d\s\-]{5,24}"
          inputMode="tel"
          autoFocus
          hint={t('Any digits. No real phone is contacted.')}
        />
        <div>
          <p className="mb-1.5 text-[13px] font-medium">{t('How a contact answers')}</p>
          <ul className="divide-y rounded-lg border text-[13px]">
            {BEHAVIOURS.map(([digits, what]) => (
              <li key={digits}>
                <button
                  type="button"
                  onClick={() => setContact(digits)}
                  className="flex w-full justify-between gap-4 px-3 py-2 text-left hover:bg-raised"
                >
                  <span>{what}</span>
                  <code className="font-mono">…{digits.slice(-4)}</code>
                </button>
              </li>
            ))}
          </ul>
        </div>
        <TextField label={t('Name')} name="name" maxLength={100} placeholder="Ada" />
        <TextField
          label={t('Group')}
          name="group"
          maxLength={100}
          placeholder={t('None: a direct chat')}
          hint={t('If no group has this name, the gateway creates it.')}
        />
        <FormActions onClose={onClose}>{t('Open the chat')}</FormActions>
      </form>
    </Dialog>
  )
}
