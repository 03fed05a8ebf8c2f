import { useMutation } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { api, take } from '../api/client.ts'
import type { Plan } from '../api/records.ts'
import { type FormErrors, formErrors } from '../form-errors.ts'
import { Dialog } from '../ui/dialog.tsx'
import { CheckField, SelectField, TextField } from '../ui/field.tsx'
import { FormActions } from '../ui/form-actions.tsx'
import { FormError } from '../ui/form-error.tsx'
import { NewPasswordField } from '../ui/new-password-field.tsx'
import { ShowSecret } from './show-secret.tsx'
import { t } from '../t.ts'

export const PLANS = [
  { value: 'free', label: t('Free') },
  { value: 'pro', label: t('Pro') },
  { value: 'max', label: t('Max') },
]

/** For operators: creates an account with its first key. */
export function CreateAccount({ onClose }: { onClose: () => void }) {
  const create = useMutation({
    mutationFn: (form: FormData) => {
      const email = String(form.get('email')).trim()
      const password = String(form.get('password'))
      return take(
        api.POST('/operator/accounts', {
          body: {
            name: String(form.get('name')).trim(),
            plan: String(form.get('plan')) as Plan,
            accept_tos: form.get('terms') === 'on',
            ...(email && { email }),
            ...(password && { password }),
          },
        }),
      )
    },
  })
  if (create.data) {
    return (
      <ShowSecret
        title={t('{name}: first API key', { name: create.data.account.name })}
        kind="key"
        value={create.data.api_key.key}
        done={t('I have passed it on')}
        onClose={onClose}
      />
    )
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    create.mutate(new FormData(event.currentTarget))
  }
  return (
    <Dialog title={t('Create an account')} onClose={onClose}>
      <form onSubmit={submit} className="space-y-4">
        <Fields errors={formErrors(create.error, ['name', 'plan', 'email', 'password'])} />
        <FormActions onClose={onClose} busy={create.isPending}>
          {t('Create the account')}
        </FormActions>
      </form>
    </Dialog>
  )
}

function Fields({ errors }: { errors: FormErrors }) {
  return (
    <>
      <TextField label={t('Name')} name="name" required maxLength={200} autoFocus error={errors.of('name')} />
      <SelectField label={t('Plan')} name="plan" choices={PLANS} error={errors.of('plan')} />
      <TextField
        label={t('Email')}
        name="email"
        type="email"
        autoComplete="off"
        hint={t('Optional: allows signing in to the portal.')}
        error={errors.of('email')}
      />
      <NewPasswordField
        label={t('Password')}
        name="password"
        hint={t('Optional, at least 10 characters.')}
        error={errors.of('password')}
      />
      <CheckField label={t('The Terms are accepted already')} name="terms" />
      {errors.rest && <FormError>{errors.rest}</FormError>}
    </>
  )
}
