import { useMutation } from '@tanstack/react-query'
import type { FormEvent, ReactNode } from 'react'
import { api, take } from '../api/client.ts'
import type { Limits, OperatorAccount, Plan } from '../api/records.ts'
import { type FormErrors, formErrors } from '../form-errors.ts'
import { CopyId } from '../ui/copy.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { FormActions } from '../ui/form-actions.tsx'
import { FormError } from '../ui/form-error.tsx'
import { NewPasswordField } from '../ui/new-password-field.tsx'
import { toast } from '../ui/toast.tsx'
import { PLANS } from './create-account.tsx'
import { t } from '../t.ts'

const LIMITS: readonly [keyof Limits, string][] = [
  ['messages_per_second', t('Messages per second')],
  ['messages_burst', t('Message burst')],
  ['messages_per_month', t('Messages per month')],
  ['sessions', t('Numbers')],
  ['requests_per_second', t('Requests per second per key')],
  ['requests_burst', t('Request burst per key')],
  ['account_requests_per_second', t('Requests per second, all keys')],
  ['account_requests_burst', t('Request burst, all keys')],
  ['keys', t('API keys')],
  ['sandbox_sessions', t('Sandbox numbers')],
  ['waiting_messages', t('Waiting messages')],
]

/** For operators: the plan of an account and the limits that override it. */
export function EditAccount({ account, onClose }: { account: OperatorAccount; onClose: () => void }) {
  const save = useMutation({
    mutationFn: (form: FormData) =>
      take(
        api.PATCH('/operator/accounts/{id}', {
          params: { path: { id: account.id } },
          body: {
            name: String(form.get('name')).trim(),
            plan: String(form.get('plan')) as Plan,
            ...changedLimits(account, form),
            ...newLogin(form),
          },
        }),
      ),
    onSuccess: () => {
      toast.done(t('The account is changed.'))
      onClose()
    },
  })
  const errors = formErrors(save.error, ['name', 'plan', 'email', 'password', ...LIMITS.map(([name]) => name)])
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    save.mutate(new FormData(event.currentTarget))
  }
  return (
    <Dialog title={account.name} onClose={onClose}>
      <form onSubmit={submit} className="space-y-4">
        <CopyId id={account.id} className="-ml-1" />
        <TextField
          label={t('Name')}
          name="name"
          defaultValue={account.name}
          required
          maxLength={200}
          error={errors.of('name')}
        />
        <SelectField
          label={t('Plan')}
          name="plan"
          defaultValue={account.plan}
          choices={PLANS}
          error={errors.of('plan')}
        />
        <Overrides account={account} errors={errors} />
        <NewLogin errors={errors} />
        {errors.rest && <FormError>{errors.rest}</FormError>}
        <FormActions onClose={onClose} busy={save.isPending}>
          {t('Save')}
        </FormActions>
      </form>
    </Dialog>
  )
}

function Overrides({ account, errors }: { account: OperatorAccount; errors: FormErrors }) {
  return (
    <Fields legend={t('Limits')} hint={t('What you change here overrides the plan. Empty: no limit.')}>
      {LIMITS.map(([name, label]) => (
        <TextField
          key={name}
          label={label}
          name={name}
          type="number"
          min={0}
          step="any"
          defaultValue={account.limits[name] ?? ''}
          placeholder={t('No limit')}
          error={errors.of(name)}
        />
      ))}
    </Fields>
  )
}

function NewLogin({ errors }: { errors: FormErrors }) {
  return (
    <Fields
      legend={t('Sign-in')}
      hint={t(
        'For a user who can no longer sign in. Leave empty to change nothing. A new password signs the user out everywhere.',
      )}
    >
      <TextField label={t('New email')} name="email" type="email" autoComplete="off" error={errors.of('email')} />
      <NewPasswordField label={t('New password')} name="password" hint={null} error={errors.of('password')} />
    </Fields>
  )
}

function Fields({ legend, hint, children }: { legend: string; hint: string; children: ReactNode }) {
  return (
    <fieldset>
      <legend className="mb-2 font-medium">{legend}</legend>
      <p className="mb-3 text-[13px] text-muted">{hint}</p>
      <div className="grid gap-3 sm:grid-cols-2">{children}</div>
    </fieldset>
  )
}

/** Sends only the limits that differ, so that a change of plan changes the others too. */
function changedLimits(account: OperatorAccount, form: FormData): { limits?: Partial<Limits> } {
  const entries = LIMITS.map(([name]) => {
    const text = String(form.get(name)).trim()
    return [name, text === '' ? null : Number(text)] as const
  }).filter(([name, value]) => value !== account.limits[name])
  return entries.length === 0 ? {} : { limits: Object.fromEntries(entries) }
}

function newLogin(form: FormData): { email?: string; password?: string } {
  const email = String(form.get('email')).trim()
  const password = String(form.get('password'))
  return { ...(email && { email }), ...(password && { password }) }
}
