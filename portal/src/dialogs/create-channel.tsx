import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { api, take } from '../api/client.ts'
import { channelsQuery } from '../api/number-lists.ts'
import { formErrors } from '../form-errors.ts'
import { Dialog } from '../ui/dialog.tsx'
import { TextArea, TextField } from '../ui/field.tsx'
import { FormActions } from '../ui/form-actions.tsx'
import { FormError } from '../ui/form-error.tsx'
import { toast } from '../ui/toast.tsx'
import { useRequestKey } from './use-request-key.ts'
import { t } from '../t.ts'

/** Creates a channel of the number. */
export function CreateChannel({ id, onClose }: { id: string; onClose: () => void }) {
  const queries = useQueryClient()
  const key = useRequestKey()
  const create = useMutation({
    mutationFn: (body: { name: string; description: string }) =>
      take(
        api.POST('/v1/sessions/{id}/newsletters', {
          params: { path: { id }, header: { 'Idempotency-Key': key } },
          body,
        }),
      ),
    onSuccess: async ({ name }) => {
      await queries.invalidateQueries({ queryKey: channelsQuery(id).queryKey })
      toast.done(t('Channel {name} is created.', { name }))
      onClose()
    },
  })
  const errors = formErrors(create.error, ['name', 'description'])
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    create.mutate({ name: String(form.get('name')).trim(), description: String(form.get('description')).trim() })
  }
  return (
    <Dialog title={t('Create a channel')} onClose={onClose}>
      <form onSubmit={submit} className="space-y-4">
        <TextField label={t('Name')} name="name" required maxLength={100} autoFocus error={errors.of('name')} />
        <TextArea
          label={t('{label} (optional)', { label: t('Description') })}
          name="description"
          maxLength={2048}
          error={errors.of('description')}
        />
        {errors.rest && <FormError>{errors.rest}</FormError>}
        <FormActions onClose={onClose} busy={create.isPending}>
          {t('Create the channel')}
        </FormActions>
      </form>
    </Dialog>
  )
}
