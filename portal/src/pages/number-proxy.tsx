import { useMutation } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { api, take } from '../api/client.ts'
import type { Session } from '../api/records.ts'
import { errorText } from '../error-text.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { Notice } from '../ui/page.tsx'
import { toast } from '../ui/toast.tsx'
import { t } from '../t.ts'
import { useSave } from './use-save.ts'

const EXAMPLE = 'socks5://user:password@proxy.example.com:1080'

const nameOf = ({ scheme, host, port }: NonNullable<Session['proxy']>): string =>
  `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`

/** Through which proxy the number reaches the platform. */
export function NumberProxy({ session }: { session: Session }) {
  const params = { path: { id: session.id } }
  const set = useSave((url: string) => take(api.PUT('/v1/sessions/{id}/proxy', { params, body: { url } })))
  const remove = useSave(() => take(api.DELETE('/v1/sessions/{id}/proxy', { params })))
  const test = useMutation({
    mutationFn: () => take(api.POST('/v1/sessions/{id}/proxy/test', { params })),
    onError: toast.failed,
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    test.reset()
    set.mutate(String(new FormData(form).get('proxy')), { onSuccess: () => form.reset() })
  }
  return (
    <form onSubmit={submit} className="space-y-3 border-t pt-5">
      <TextField
        label={t('Proxy')}
        name="proxy"
        required
        maxLength={2_048}
        autoComplete="off"
        spellCheck={false}
        placeholder={session.proxy ? nameOf(session.proxy) : EXAMPLE}
        hint={
          session.proxy
            ? t(
                'All connections of the number go through {proxy}, and none without it. Enter another URL to change it.',
                {
                  proxy: nameOf(session.proxy),
                },
              )
            : t('The number connects directly. Enter the URL of a SOCKS5 or HTTP proxy to let it connect from there.')
        }
        error={set.error ? errorText(set.error) : null}
      />
      {test.data && (
        <Notice tone={test.data.outcome === 'reached' ? 'calm' : 'bad'}>
          {test.data.outcome === 'reached'
            ? t('The platform answers through the proxy after {ms} ms.', { ms: String(test.data.ms) })
            : test.data.error}
        </Notice>
      )}
      <div className="flex flex-wrap gap-2">
        <Button small type="submit" busy={set.isPending}>
          {t('Save the proxy')}
        </Button>
        {session.proxy && (
          <>
            <Button small busy={test.isPending} onClick={() => test.mutate()}>
              {t('Test the proxy')}
            </Button>
            <Button small busy={remove.isPending} onClick={() => remove.mutate(undefined)}>
              {t('Remove the proxy')}
            </Button>
          </>
        )}
      </div>
    </form>
  )
}
