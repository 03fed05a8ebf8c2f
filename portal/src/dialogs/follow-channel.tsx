import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { FormEvent, ReactNode } from 'react'
import { api, take } from '../api/client.ts'
import { channelsQuery } from '../api/number-lists.ts'
import type { Channel } from '../api/records.ts'
import { errorText } from '../error-text.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { FormError } from '../ui/form-error.tsx'
import { count } from '../ui/numbers-format.ts'
import { Facts } from '../ui/page.tsx'
import { toast } from '../ui/toast.tsx'
import { t } from '../t.ts'

/** Finds a channel by its link, shows it, and lets the number follow it. */
export function FollowChannel({ id, onClose }: { id: string; onClose: () => void }) {
  const queries = useQueryClient()
  const find = useMutation({
    mutationFn: (invite: string) =>
      take(api.POST('/v1/sessions/{id}/newsletters/preview', { params: { path: { id } }, body: { invite } })),
  })
  const follow = useMutation({
    mutationFn: ({ jid }: Channel) =>
      take(api.PUT('/v1/sessions/{id}/newsletters/{nl}/follow', { params: { path: { id, nl: jid } } })),
    onSuccess: async (_, { name }) => {
      await queries.invalidateQueries({ queryKey: channelsQuery(id).queryKey })
      toast.done(t('The number follows {name}.', { name }))
      onClose()
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    follow.reset()
    find.mutate(String(new FormData(event.currentTarget).get('invite')).trim())
  }
  const found = find.data
  const mayFollow = found?.role === null || found?.role === 'guest'
  return (
    <Dialog
      title={t('Find a channel')}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{found && !mayFollow ? t('Close') : t('Cancel')}</Button>
          {found && mayFollow && (
            <Button look="primary" busy={follow.isPending} onClick={() => follow.mutate(found)}>
              {t('Follow')}
            </Button>
          )}
        </>
      }
    >
      <form onSubmit={submit} className="space-y-4">
        <TextField
          label={t('Link of the channel')}
          name="invite"
          required
          maxLength={200}
          autoFocus
          autoComplete="off"
          placeholder="https://whatsapp.com/channel/…"
          error={find.error ? errorText(find.error) : null}
        />
        <Button type="submit" busy={find.isPending}>
          {t('Find')}
        </Button>
      </form>
      <div aria-live="polite">
        {found && (
          <div className="mt-5">
            <Facts facts={factsOf(found)} />
            {!mayFollow && <p className="mt-3 text-muted">{t('The number follows it already.')}</p>}
          </div>
        )}
      </div>
      {follow.error && <FormError className="mt-3">{errorText(follow.error)}</FormError>}
    </Dialog>
  )
}

const factsOf = ({ name, description, followers }: Channel): [string, ReactNode][] => [
  [t('Name'), name],
  ...(description === '' ? [] : [[t('Description'), description] satisfies [string, ReactNode]]),
  [t('Followers'), followers === null ? '–' : count(followers)],
]
