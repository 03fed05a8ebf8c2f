import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useEffect, useState } from 'react'
import { api, take } from '../api/client.ts'
import type { PairingMethod, PairingPlatform } from '../api/pairings.ts'
import { errorText } from '../error-text.ts'
import { formErrors } from '../form-errors.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { Ended, Progress, QrFrame } from './progress.tsx'
import { PairingSteps } from './steps.tsx'
import { t } from '../t.ts'

interface PairProps {
  method: PairingMethod
  platform: PairingPlatform
  /** The sandbox number to link again. */
  phone: string | null
  /** Whether the messages of the phone's history become events. */
  history: boolean
  onHistoryRefused: (why: string) => void
}

/** Starts a pairing and follows it. A QR code needs no input; a pairing code needs the number. */
export function Pair({ method, platform, phone, history, onHistoryRefused }: PairProps) {
  const start = useMutation({
    mutationFn: (number: string | null) =>
      take(
        api.POST('/v1/pairings', {
          body: { method, platform, ...(number && { phone: number }), ...(history && { history }) },
        }),
      ),
    onError: error => {
      const refusal = formErrors(error, ['history']).of('history')
      if (refusal !== null) onHistoryRefused(refusal)
    },
  })
  const { mutate } = start
  const [typed, setTyped] = useState(phone)
  const ask = (number: string | null) => {
    setTyped(number)
    mutate(number)
  }
  useEffect(() => {
    if (method === 'qr') mutate(phone)
  }, [method, phone, mutate])
  const again = () => (method === 'qr' ? mutate(phone) : start.reset())
  if (start.data)
    return <Progress key={start.data.id} first={start.data} method={method} platform={platform} onAgain={again} />
  if (method === 'code') {
    return (
      <AskPhone
        sandbox={platform === 'sandbox'}
        phone={typed}
        onPhone={ask}
        busy={start.isPending}
        error={start.error}
      />
    )
  }
  if (start.error) return <Ended title={errorText(start.error)} onAgain={again} />
  return (
    <div className="flex flex-col items-center gap-4">
      <QrFrame />
      <p className="text-center text-muted">{t('Asking the platform for a code.')}</p>
      <div aria-hidden className="skeleton h-9 w-60" />
      <PairingSteps method="qr" status="pending" connected={false} />
    </div>
  )
}

interface AskPhoneProps {
  sandbox: boolean
  phone: string | null
  onPhone: (phone: string | null) => void
  busy: boolean
  error: Error | null
}

function AskPhone({ sandbox, phone, onPhone, busy, error }: AskPhoneProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    onPhone(String(new FormData(event.currentTarget).get('phone')).replace(/\D/g, '') || null)
  }
  return (
    <form onSubmit={submit} className="max-w-sm space-y-4">
      <TextField
        label={t('Number of the phone')}
        name="phone"
        type="tel"
        required={!sandbox}
        autoFocus
        defaultValue={phone ?? ''}
        placeholder={sandbox ? t('Picked for you') : '+1 555 123 4567'}
        hint={sandbox ? t('Optional. Digits beginning with 999.') : t('With its country code.')}
        error={error ? errorText(error) : null}
      />
      <Button look="primary" type="submit" busy={busy}>
        {busy ? t('Asking for a code') : t('Get a code')}
      </Button>
    </form>
  )
}
