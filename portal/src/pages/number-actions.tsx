import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Send, TabletSmartphone } from 'lucide-react'
import { useState } from 'react'
import { api, take } from '../api/client.ts'
import type { Session } from '../api/records.ts'
import { nameOf, sessionsQuery } from '../api/sessions.ts'
import { SendMessage } from '../dialogs/send-message.tsx'
import { Button, ButtonLink } from '../ui/button.tsx'
import { Confirm } from '../ui/dialog.tsx'
import { toast } from '../ui/toast.tsx'
import { t } from '../t.ts'

export function NumberActions({ session }: { session: Session }) {
  const [open, setOpen] = useState<'unlink' | 'restart' | 'send' | null>(null)
  const queries = useQueryClient()
  const navigate = useNavigate()
  const close = () => setOpen(null)
  const named = { name: nameOf(session) }
  const path = { id: session.id }
  const restart = async () => {
    await take(api.POST('/v1/sessions/{id}/restart', { params: { path } }))
    await queries.invalidateQueries({ queryKey: sessionsQuery.queryKey })
    toast.done(t('{name} restarts.', named))
  }
  const unlink = async () => {
    await take(api.DELETE('/v1/sessions/{id}', { params: { path } }))
    await navigate({ to: '/numbers' })
    await queries.invalidateQueries()
    toast.done(t('{name} is unlinked.', named))
  }
  return (
    <>
      <Button small look="primary" icon={Send} onClick={() => setOpen('send')}>
        {t('Send a message')}
      </Button>
      {session.platform === 'sandbox' && (
        <ButtonLink small icon={TabletSmartphone} to="/phone" search={{ number: session.id }}>
          {t('Open the phone')}
        </ButtonLink>
      )}
      <Button small onClick={() => setOpen('restart')}>
        {t('Restart')}
      </Button>
      <Button small look="quiet-danger" onClick={() => setOpen('unlink')}>
        {t('Unlink')}
      </Button>
      {open === 'send' && <SendMessage session={session} onClose={close} />}
      {open === 'restart' && (
        <Confirm title={t('Restart {name}?', named)} action={t('Restart')} onConfirm={restart} onClose={close}>
          <p>{t('The gateway closes the connection and opens it again. Messages wait meanwhile; nothing is lost.')}</p>
        </Confirm>
      )}
      {open === 'unlink' && (
        <Confirm
          title={t('Unlink {name}?', named)}
          action={t('Unlink the number')}
          danger
          onConfirm={unlink}
          onClose={close}
        >
          <p>
            {t(
              'The device is removed from the phone and its credentials are forgotten. Queued messages fail, and its webhook becomes inactive until the number is paired again.',
            )}
          </p>
          <p>{t('This cannot be undone.')}</p>
        </Confirm>
      )}
    </>
  )
}
