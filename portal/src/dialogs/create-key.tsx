import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, take } from '../api/client.ts'
import type { Scope } from '../api/records.ts'
import { formErrors } from '../form-errors.ts'
import { Dialog } from '../ui/dialog.tsx'
import { CheckField, TextField } from '../ui/field.tsx'
import { FormActions } from '../ui/form-actions.tsx'
import { FormError } from '../ui/form-error.tsx'
import { NumberChoice, toggled } from './number-choice.tsx'
import { ShowSecret } from './show-secret.tsx'
import { t } from '../t.ts'

const SCOPES: readonly [Scope, string, string][] = [
  ['send', t('Send'), t('Send, edit and revoke messages, type, read, react.')],
  ['read', t('Read ¦ a right'), t('Read numbers, messages, deliveries and usage.')],
  ['manage', t('Manage'), t('Change webhooks, keys and numbers.')],
]

/** Creates an API key and shows it once. */
export function CreateKey({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient()
  const [scopes, setScopes] = useState<Scope[]>(['send', 'read', 'manage'])
  const [numbers, setNumbers] = useState<string[]>([])
  const create = useMutation({
    mutationFn: (label: string) =>
      take(api.POST('/v1/keys', { body: { label, scopes, ...(numbers.length > 0 && { session_ids: numbers }) } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['keys'] }),
  })
  const close = () => {
    void queries.invalidateQueries({ queryKey: ['first', 'keys'] })
    onClose()
  }
  if (create.data) {
    const { label, key } = create.data
    return <ShowSecret title={t('Your new key: {label}', { label })} kind="key" value={key} onClose={close} />
  }
  const errors = formErrors(create.error, ['label'])
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    create.mutate(String(new FormData(event.currentTarget).get('label')).trim())
  }
  return (
    <Dialog title={t('Create an API key')} onClose={onClose}>
      <form onSubmit={submit} className="space-y-5">
        <TextField
          label={t('Label')}
          name="label"
          required
          maxLength={100}
          placeholder="staging"
          autoFocus
          hint={t('Use one key per environment, so that a leaked one is easy to replace.')}
          error={errors.of('label')}
        />
        <ScopeChoice chosen={scopes} onChange={setScopes} />
        <NumberChoice chosen={numbers} onChange={setNumbers} />
        {errors.rest && <FormError>{errors.rest}</FormError>}
        <FormActions onClose={onClose} busy={create.isPending} disabled={scopes.length === 0}>
          {t('Create the key')}
        </FormActions>
      </form>
    </Dialog>
  )
}

interface ChoiceProps<T> {
  chosen: T[]
  onChange: (chosen: T[]) => void
}

function ScopeChoice({ chosen, onChange }: ChoiceProps<Scope>) {
  return (
    <fieldset>
      <legend className="mb-1 font-medium">{t('Permissions')}</legend>
      {SCOPES.map(([scope, name, hint]) => (
        <CheckField
          key={scope}
          label={name}
          hint={hint}
          checked={chosen.includes(scope)}
          onChange={() => onChange(toggled(chosen, scope))}
        />
      ))}
    </fieldset>
  )
}
