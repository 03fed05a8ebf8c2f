import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Webhook as WebhookIcon } from 'lucide-react'
import { useState } from 'react'
import { api, take } from '../api/client.ts'
import { bareId, nameAndPhone, sessionsQuery } from '../api/sessions.ts'
import { toOne, webhooksQuery } from '../api/webhooks.ts'
import { ShowSecret } from '../dialogs/show-secret.tsx'
import { ButtonLink } from '../ui/button.tsx'
import { SelectField } from '../ui/field.tsx'
import { Empty, ErrorNote, Page, Section } from '../ui/page.tsx'
import { WebhookForm, trimmed } from './webhook-form.tsx'
import { t } from '../t.ts'

export function NewWebhookPage() {
  const sessions = useQuery(sessionsQuery)
  const webhooks = useQuery(webhooksQuery)
  const taken = new Set(webhooks.data?.map(webhook => webhook.phone))
  const free = sessions.data?.filter(session => !taken.has(session.phone))
  return (
    <Page
      title={t('Set a webhook')}
      lead={t('Choose where the events of a number are posted. You can change it at any time.')}
    >
      {sessions.error && <ErrorNote error={sessions.error} retry={sessions.refetch} />}
      {free?.length === 0 && <NothingFree none={sessions.data?.length === 0} />}
      {free !== undefined && free.length > 0 && (
        <NewWebhook choices={free.map(session => ({ value: session.id, label: nameAndPhone(session) }))} />
      )}
    </Page>
  )
}

function NothingFree({ none }: { none: boolean }) {
  return (
    <Empty
      icon={WebhookIcon}
      title={none ? t('No number yet') : t('Every number has its webhook')}
      actions={
        <ButtonLink look="primary" to={none ? '/numbers' : '/webhooks'}>
          {none ? t('Add a number') : t('Edit a webhook')}
        </ButtonLink>
      }
    >
      {none
        ? t('A webhook posts the events of a number, so add a number first.')
        : t('A number has one config, with a URL for each category. Open it to change where its events go.')}
    </Empty>
  )
}

function NewWebhook({ choices }: { choices: { value: string; label: string }[] }) {
  const { number } = useSearch({ from: '/inside/webhooks/new' })
  const wanted = choices.find(choice => number !== undefined && bareId(choice.value) === bareId(number))
  const [sessionId, setSessionId] = useState((wanted ?? choices[0]!).value)
  const [urls, setUrls] = useState(toOne(''))
  const queries = useQueryClient()
  const navigate = useNavigate()
  const create = useMutation({
    mutationFn: () => take(api.POST('/v1/webhooks', { body: { session_id: sessionId, ...trimmed(urls) } })),
  })
  const leave = async () => {
    await queries.invalidateQueries({ queryKey: webhooksQuery.queryKey })
    await navigate({ to: '/webhooks/$id', params: { id: create.data!.id } })
  }
  return (
    <>
      <div className="max-w-2xl">
        <Section title={t('Endpoint')}>
          <div className="space-y-4">
            <SelectField
              label={t('Events of')}
              value={sessionId}
              onChange={event => setSessionId(event.target.value)}
              choices={choices}
            />
            <WebhookForm
              tryFor={sessionId}
              urls={urls}
              onChange={next => {
                create.reset()
                setUrls(next)
              }}
              onSave={() => create.mutate()}
              saving={create.isPending}
              refusal={create.error}
              save={t('Set the webhook')}
            >
              <ButtonLink to="/webhooks">{t('Cancel')}</ButtonLink>
            </WebhookForm>
          </div>
        </Section>
      </div>
      {create.data && (
        <ShowSecret
          title={t("The webhook's secret")}
          kind="secret"
          value={create.data.secret}
          onClose={() => void leave()}
        >
          <p className="mb-3 leading-relaxed">
            {t('Verify every POST with it: only you and the gateway know the secret.')}
          </p>
        </ShowSecret>
      )}
    </>
  )
}
