import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { signInOptionsQuery, signUp } from '../api/sign-in.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { FormError } from '../ui/form-error.tsx'
import { SignInLayout } from '../ui/sign-in-layout.tsx'
import { NewPasswordField } from '../ui/new-password-field.tsx'
import { signInError } from './sign-in-error.ts'
import { useEnter } from './sign-in.tsx'
import { t } from '../t.ts'

export function SignUpPage() {
  const { data: options } = useQuery(signInOptionsQuery)
  const create = useMutation({
    mutationFn: (form: FormData) =>
      signUp(String(form.get('name')).trim(), String(form.get('email')).trim(), String(form.get('password'))),
    onSuccess: useEnter(),
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    create.mutate(new FormData(event.currentTarget))
  }
  return (
    <SignInLayout
      title={t('Create an account')}
      version={options?.version}
      foot={
        <Link to="/sign-in" className="font-medium text-accent underline underline-offset-2">
          {t('Sign in instead')}
        </Link>
      }
    >
      {options?.signup === 'closed' ? (
        <p className="leading-relaxed">{t('The operator of this gateway creates accounts. Ask them for one.')}</p>
      ) : (
        <form onSubmit={submit} className="space-y-4">
          <TextField
            label={t('Name of the account')}
            name="name"
            autoComplete="organization"
            required
            maxLength={200}
            autoFocus
            hint={t('Your company or project.')}
          />
          <TextField label={t('Email')} name="email" type="email" autoComplete="username" required />
          <NewPasswordField label={t('Password')} name="password" required />
          {create.error && <FormError>{signInError(create.error)}</FormError>}
          <Button look="primary" type="submit" busy={create.isPending} className="w-full">
            {t('Create the account')}
          </Button>
        </form>
      )}
    </SignInLayout>
  )
}
