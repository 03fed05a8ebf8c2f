import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useRouter, useSearch } from '@tanstack/react-router'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { signIn, signInByLink, signInOptionsQuery, visitorQuery } from '../api/sign-in.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { FormError } from '../ui/form-error.tsx'
import { SignInLayout } from '../ui/sign-in-layout.tsx'
import { t } from '../t.ts'
import { signInError } from './sign-in-error.ts'

/** Removes a one-time token from the address at once, so that no history contains it. */
function takeToken(): string | null {
  const token = window.location.hash.slice(1)
  if (token === '') return null
  window.history.replaceState(window.history.state, '', window.location.pathname + window.location.search)
  return token
}

export function SignInPage() {
  const [token] = useState(takeToken)
  const { data: options } = useQuery(signInOptionsQuery)
  const enter = useEnter()
  const byLink = useMutation({ mutationFn: signInByLink, onSuccess: enter })
  const byPassword = useMutation({
    mutationFn: ({ email, password }: { email: string; password: string }) => signIn(email, password),
    onSuccess: enter,
  })
  const used = useRef(false)
  useEffect(() => {
    if (token === null || used.current) return
    used.current = true
    byLink.mutate(token)
  }, [token, byLink])
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    byPassword.mutate({ email: String(form.get('email')).trim(), password: String(form.get('password')) })
  }
  const error = byPassword.error ?? byLink.error
  return (
    <SignInLayout
      title={t('Sign in')}
      version={options?.version}
      foot={
        options?.signup === 'open' && (
          <Link to="/sign-up" className="font-medium text-accent underline underline-offset-2">
            {t('Create an account')}
          </Link>
        )
      }
    >
      <form onSubmit={submit} className="space-y-4">
        <TextField label={t('Email')} name="email" type="email" autoComplete="username" required autoFocus />
        <TextField label={t('Password')} name="password" type="password" autoComplete="current-password" required />
        {error && <FormError>{signInError(error)}</FormError>}
        <Button look="primary" type="submit" busy={byPassword.isPending || byLink.isPending} className="w-full">
          {byLink.isPending ? t('Signing in with the link') : t('Sign in')}
        </Button>
        <p className="text-[13px] text-muted">
          {t('Lost your password? The operator of this gateway can set a new one.')}
        </p>
      </form>
    </SignInLayout>
  )
}

/** Loads the signed-in user and opens the requested page. It follows only paths of this portal. */
export function useEnter() {
  const queries = useQueryClient()
  const router = useRouter()
  const { next } = useSearch({ strict: false })
  return async () => {
    queries.clear()
    await queries.fetchQuery({ ...visitorQuery, staleTime: 0 })
    router.history.replace(next !== undefined && /^\/(?![/\\])/.test(next) ? next : '/')
  }
}
