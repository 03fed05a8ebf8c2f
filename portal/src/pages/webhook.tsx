import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { api, take } from '../api/client.ts'
import type { Webhook } from '../api/records.ts'
import { sessionsQuery } from '../api/sessions.ts'
import { useNumberNames } from '../api/use-number-names.ts'
import { type Urls, webhooksQuery } from '../api/webhooks.ts'
import { Replay } from '../dialogs/replay.tsx'
import { RotateSecret } from '../dialogs/rotate-secret.tsx'
import { RecordLink } from '../records/record-link.tsx'
import { Button, ButtonLink } from '../ui/button.tsx'
import { CopyId } from '../ui/copy.tsx'
import { Confirm } from '../ui/dialog.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Notice, Page, Section } from '../ui/page.tsx'
import { toast } from '../ui/toast.tsx'
import { WebhookForm, trimmed } from './webhook-form.tsx'
import { VerifySnippets } from './verify-snippets.tsx'
import { WebhookTest } from './webhook-test.tsx'
import { t } from '../t.ts'
import { showPhone } from '../phone-number.ts'

const webhookQuery = (id: string) => ({
  queryKey: ['webhook', id],
  queryFn: () => take(api.GET('/v1/webhooks/{id}', { params: { path: { id } } })),
})

export function WebhookPage() {
  const { id } = useParams({ from: '/inside/webhooks/$id' })
  const query = useQuery(webhookQuery(id))
  const webhook = query.data
  const nameOfNumber = useNumberNames()
  return (
    <Page
      title={webhook ? t('Webhook of {name}', { name: nameOfNumber(webhook.session_id) }) : t('Webhook')}
      lead={<Lead id={id} phone={webhook?.phone} />}
      action={webhook && <Actions webhook={webhook} />}
    >
      <Loaded query={query} skeleton={<div aria-hidden className="skeleton h-96" />}>
        {shown => <Details webhook={shown} />}
      </Loaded>
    </Page>
  )
}

function Lead({ id, phone }: { id: string; phone: string | undefined }) {
  const session = useQuery(sessionsQuery).data?.find(each => each.phone === phone)
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <CopyId id={id} className="-ml-1" />
      {session && (
        <RecordLink to="/numbers/$id" params={{ id: session.id }}>
          {showPhone(session.phone)}
        </RecordLink>
      )}
    </span>
  )
}

function Details({ webhook }: { webhook: Webhook }) {
  return (
    <div className="space-y-4">
      {!webhook.active && (
        <Notice tone="waiting">
          {t(
            'This webhook is inactive: its number was unlinked or moved. Nothing is sent until the number is paired again.',
          )}
        </Notice>
      )}
      <UrlsAndTest key={webhook.id} webhook={webhook} />
      <VerifySnippets webhookId={webhook.id} />
    </div>
  )
}

/** The test uses the URLs in the fields, saved or not. */
function UrlsAndTest({ webhook }: { webhook: Webhook }) {
  const { messages_url, status_url, connection_url, events_url } = webhook
  const [urls, setUrls] = useState({ messages_url, status_url, connection_url, events_url })
  return (
    <div className="grid grid-cols-1 items-start gap-4 xl:grid-cols-2">
      <WebhookUrls webhook={webhook} urls={urls} setUrls={setUrls} />
      <WebhookTest webhook={webhook} urls={trimmed(urls)} />
    </div>
  )
}

interface WebhookUrlsProps {
  webhook: Webhook
  urls: Urls
  setUrls: (urls: Urls) => void
}

function WebhookUrls({ webhook, urls, setUrls }: WebhookUrlsProps) {
  const queries = useQueryClient()
  const save = useMutation({
    mutationFn: () => take(api.PUT('/v1/webhooks/{id}', { params: { path: { id: webhook.id } }, body: trimmed(urls) })),
    onSuccess: async saved => {
      queries.setQueryData(webhookQuery(webhook.id).queryKey, saved)
      await queries.invalidateQueries({ queryKey: webhooksQuery.queryKey })
      toast.done(t('The URLs are saved.'))
    },
  })
  return (
    <Section title={t('URLs')}>
      <WebhookForm
        urls={urls}
        onChange={next => {
          save.reset()
          setUrls(next)
        }}
        onSave={() => save.mutate()}
        saving={save.isPending}
        refusal={save.error}
        save={t('Save the URLs')}
      />
    </Section>
  )
}

function Actions({ webhook }: { webhook: Webhook }) {
  const [open, setOpen] = useState<'rotate' | 'replay' | 'delete' | null>(null)
  const queries = useQueryClient()
  const navigate = useNavigate()
  const close = () => setOpen(null)
  const named = { name: useNumberNames()(webhook.session_id) }
  const rotate = (overlap_seconds: number) =>
    take(
      api.POST('/v1/webhooks/{id}/rotate-secret', { params: { path: { id: webhook.id } }, body: { overlap_seconds } }),
    )
  const remove = async () => {
    await take(api.DELETE('/v1/webhooks/{id}', { params: { path: { id: webhook.id } } }))
    await navigate({ to: '/webhooks' })
    await queries.invalidateQueries({ queryKey: webhooksQuery.queryKey })
    toast.done(t('The webhook of {name} is deleted.', named))
  }
  return (
    <>
      <ButtonLink to="/deliveries" search={{ webhook: webhook.id }}>
        {t('Deliveries')}
      </ButtonLink>
      <Button onClick={() => setOpen('replay')}>{t('Replay')}</Button>
      <Button onClick={() => setOpen('rotate')}>{t('Rotate the secret')}</Button>
      <Button look="quiet-danger" onClick={() => setOpen('delete')}>
        {t('Delete')}
      </Button>
      {open === 'rotate' && <RotateSecret {...named} rotate={rotate} onClose={close} />}
      {open === 'replay' && <Replay receivers={[{ id: webhook.id, ...named }]} onClose={close} />}
      {open === 'delete' && (
        <Confirm
          title={t('Delete the webhook of {name}?', named)}
          action={t('Delete the webhook')}
          danger
          onConfirm={remove}
          onClose={close}
        >
          <p>{t('The gateway posts no more events of this number, and waiting deliveries become dead letters.')}</p>
          <p>{t('The secret is deleted permanently. This cannot be undone.')}</p>
        </Confirm>
      )}
    </>
  )
}
