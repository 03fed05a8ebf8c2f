import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { api, take } from '../api/client.ts'
import { groupsQuery } from '../api/number-lists.ts'
import { formErrors } from '../form-errors.ts'
import { MemberOutcomes } from '../records/member-outcomes.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TextArea, TextField } from '../ui/field.tsx'
import { FormActions } from '../ui/form-actions.tsx'
import { FormError } from '../ui/form-error.tsx'
import { peopleIn } from './people-in.ts'
import { useRequestKey } from './use-request-key.ts'
import { t } from '../t.ts'

interface CreateGroupProps {
  /** The number that creates it. */
  id: string
  onClose: () => void
  onCreated: (jid: string) => void
}

/** Creates a group, and says whom WhatsApp did not let in. */
export function CreateGroup({ id, onClose, onCreated }: CreateGroupProps) {
  const queries = useQueryClient()
  const key = useRequestKey()
  const create = useMutation({
    mutationFn: (body: { subject: string; members: string[] }) =>
      take(
        api.POST('/v1/sessions/{id}/groups', {
          params: { path: { id }, header: { 'Idempotency-Key': key } },
          body,
        }),
      ),
    onSuccess: async made => {
      await queries.invalidateQueries({ queryKey: groupsQuery(id).queryKey })
      if (made.outcomes.every(({ outcome }) => outcome === 'done')) onCreated(made.jid)
    },
  })
  const errors = formErrors(create.error, ['subject', 'members'])
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    create.mutate({ subject: String(form.get('subject')).trim(), members: peopleIn(String(form.get('members'))) })
  }
  if (create.data) {
    const { jid, outcomes } = create.data
    return (
      <Dialog
        title={t('The group is created')}
        onClose={() => onCreated(jid)}
        footer={
          <Button look="primary" onClick={() => onCreated(jid)}>
            {t('Open the group')}
          </Button>
        }
      >
        <MemberOutcomes action="add" outcomes={outcomes} />
      </Dialog>
    )
  }
  return (
    <Dialog title={t('Create a group')} onClose={onClose}>
      <form onSubmit={submit} className="space-y-4">
        <TextField
          label={t('Name of the group')}
          name="subject"
          required
          maxLength={100}
          autoFocus
          error={errors.of('subject')}
        />
        <TextArea
          label={t('Members')}
          name="members"
          required
          placeholder="+15551234567"
          hint={t('Numbers with their country codes, or JIDs. One on each line.')}
          error={errors.of('members')}
        />
        {errors.rest && <FormError>{errors.rest}</FormError>}
        <FormActions onClose={onClose} busy={create.isPending}>
          {t('Create the group')}
        </FormActions>
      </form>
    </Dialog>
  )
}
