import { useMutation } from '@tanstack/react-query'
import { Send } from 'lucide-react'
import { type FormEvent, type ReactNode, useState } from 'react'
import { api, take } from '../api/client.ts'
import type { Urls } from '../api/webhooks.ts'
import { errorText } from '../error-text.ts'
import { TestAnswers } from '../records/test-results.tsx'
import { missingUrl, UrlFields } from '../records/url-fields.tsx'
import { Button } from '../ui/button.tsx'
import { t } from '../t.ts'

interface WebhookFormProps {
  /** The number of a webhook that does not exist yet: its URLs are tested with a random secret. */
  tryFor?: string
  urls: Urls
  onChange: (urls: Urls) => void
  onSave: () => void
  saving: boolean
  /** Why it could not be saved. */
  refusal: unknown
  save: string
  /** Shown beside the buttons. */
  children?: ReactNode
}

/** Where events go. */
export function WebhookForm(props: WebhookFormProps) {
  const { tryFor, urls, onChange, onSave, saving, refusal, save, children } = props
  const [missing, setMissing] = useState<string | null>(null)
  const test = useMutation({
    mutationFn: () => take(api.POST('/v1/webhooks/try', { body: { session_id: tryFor ?? '', ...trimmed(urls) } })),
  })
  const unlessMissing = (act: () => void) => {
    const text = missingUrl(urls)
    setMissing(text)
    if (text === null) act()
  }
  const change = (next: Urls) => {
    setMissing(null)
    test.reset()
    onChange(next)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    unlessMissing(onSave)
  }
  const error = test.error ?? refusal
  return (
    <form noValidate onSubmit={submit} className="space-y-4">
      <UrlFields urls={urls} onChange={change} error={missing ?? (error ? errorText(error) : null)} />
      <div aria-live="polite">{test.data && <TestAnswers results={test.data.data} refusalIsFine />}</div>
      <div className="flex flex-wrap justify-end gap-2">
        {tryFor && (
          <Button
            icon={Send}
            busy={test.isPending}
            onClick={() => unlessMissing(() => test.mutate())}
            className="mr-auto max-sm:w-full"
          >
            {t('Send a test')}
          </Button>
        )}
        {children}
        <Button look="primary" type="submit" busy={saving}>
          {save}
        </Button>
      </div>
    </form>
  )
}

/** Trims the URL, because pasted text often ends in a space. */
export const trimmed = (urls: Urls): Urls => ({
  messages_url: urls.messages_url.trim(),
  status_url: urls.status_url.trim(),
  connection_url: urls.connection_url.trim(),
  events_url: urls.events_url.trim(),
})
