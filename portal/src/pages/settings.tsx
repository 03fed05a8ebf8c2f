import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { changeEmail, changePassword, signOutEverywhere, visitorQuery } from '../api/sign-in.ts'
import { termsQuery } from '../api/terms.ts'
import { useVisitor } from '../api/use-visitor.ts'
import { errorText } from '../error-text.ts'
import { useSignOut } from '../shell/use-sign-out.ts'
import { Button } from '../ui/button.tsx'
import { CopyId } from '../ui/copy.tsx'
import { Confirm } from '../ui/dialog.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { NewPasswordField } from '../ui/new-password-field.tsx'
import { Facts, Page, Section } from '../ui/page.tsx'
import { setTheme, type Theme, useTheme } from '../ui/theme.ts'
import { ExactTime } from '../ui/time.tsx'
import { toast } from '../ui/toast.tsx'
import { rich } from '../rich.ts'
import { chooseLanguage, chosenLanguage, LANGUAGES, type Language } from '../language.ts'
import { t } from '../t.ts'

const THEMES = [
  { value: 'system', label: t('System') },
  { value: 'light', label: t('Light') },
  { value: 'dark', label: t('Dark') },
]

const TONGUES = [
  { value: '', label: t('Browser default') },
  ...Object.entries(LANGUAGES).map(([value, label]) => ({ value, label })),
]

export function SettingsPage() {
  const { user, account, version } = useVisitor()
  const terms = useQuery(termsQuery).data
  const theme = useTheme()
  return (
    <Page title={t('Settings')} lead={t('Your sign-in, the account, and the appearance of the portal.')}>
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Section title={t('Account')}>
          <Facts
            facts={[
              [t('Name'), account.name],
              [
                t('Plan'),
                <span key="plan" className="capitalize">
                  {account.plan}
                </span>,
              ],
              [t('Id'), <CopyId key="id" id={account.id} className="-ml-1" />],
              [t('Signed in as'), user.email],
              [
                t('Terms'),
                <Link key="terms" to="/settings/terms" className="text-accent underline underline-offset-2">
                  {terms?.accepted_at ? (
                    <>{rich('Accepted {time}', { time: <ExactTime at={terms.accepted_at} /> })}</>
                  ) : (
                    t('Not accepted yet')
                  )}
                </Link>,
              ],
              [t('Version'), version],
            ]}
          />
        </Section>
        <Section title={t('Appearance')}>
          <SelectField
            label={t('Theme')}
            value={theme}
            onChange={event => setTheme(event.target.value as Theme)}
            choices={THEMES}
          />
          <SelectField
            label={t('Language')}
            className="mt-4"
            value={chosenLanguage ?? ''}
            onChange={event => chooseLanguage(event.target.value as Language | '')}
            choices={TONGUES}
          />
        </Section>
        <Password key={String(user.has_password)} has={user.has_password} email={user.email} />
        <Email key={user.email} email={user.email} needsPassword={user.has_password} />
        <Everywhere />
      </div>
    </Page>
  )
}

function useChange(change: (form: FormData) => Promise<unknown>, done: string) {
  const queries = useQueryClient()
  const mutation = useMutation({
    mutationFn: change,
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: visitorQuery.queryKey })
      toast.done(done)
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    mutation.mutate(new FormData(form), { onSuccess: () => form.reset() })
  }
  return { submit, busy: mutation.isPending, error: mutation.error ? errorText(mutation.error) : null }
}

function Password({ has, email }: { has: boolean; email: string }) {
  const { submit, busy, error } = useChange(
    form =>
      changePassword({
        ...(has && { current_password: String(form.get('current')) }),
        new_password: String(form.get('new')),
      }),
    t('The password is changed. Other browsers are signed out.'),
  )
  return (
    <Section title={has ? t('Change the password') : t('Set a password')}>
      <form onSubmit={submit} className="space-y-4">
        <input type="email" name="username" value={email} readOnly hidden autoComplete="username" />
        {has && (
          <TextField
            label={t('Current password')}
            name="current"
            type="password"
            autoComplete="current-password"
            required
          />
        )}
        <NewPasswordField label={t('New password')} name="new" required error={error} />
        <Button type="submit" busy={busy}>
          {has ? t('Change the password') : t('Set the password')}
        </Button>
      </form>
    </Section>
  )
}

function Email({ email, needsPassword }: { email: string; needsPassword: boolean }) {
  const { submit, busy, error } = useChange(
    form =>
      changeEmail({
        email: String(form.get('email')).trim(),
        ...(needsPassword && { password: String(form.get('password')) }),
      }),
    t('The email is changed.'),
  )
  return (
    <Section title={t('Change the email')}>
      <form onSubmit={submit} className="space-y-4">
        <TextField
          label={t('New email')}
          name="email"
          type="email"
          autoComplete="email"
          required
          placeholder={email}
          error={error}
        />
        {needsPassword && (
          <TextField label={t('Password')} name="password" type="password" autoComplete="current-password" required />
        )}
        <Button type="submit" busy={busy}>
          {t('Change the email')}
        </Button>
      </form>
    </Section>
  )
}

function Everywhere() {
  const [asking, setAsking] = useState(false)
  const leave = useSignOut(signOutEverywhere)
  return (
    <Section title={t('Sign out everywhere')}>
      <p className="mb-4 leading-relaxed text-muted">
        {t('Ends all your sessions, in this and all other browsers. API keys continue to work.')}
      </p>
      <Button onClick={() => setAsking(true)}>{t('Sign out everywhere')}</Button>
      {asking && (
        <Confirm
          title={t('Sign out everywhere?')}
          action={t('Sign out everywhere')}
          onConfirm={leave}
          onClose={() => setAsking(false)}
        >
          <p>{t('You will have to sign in again, here too.')}</p>
        </Confirm>
      )}
    </Section>
  )
}
