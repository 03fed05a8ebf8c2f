import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Check, QrCode, RotateCw } from 'lucide-react'
import { type FormEvent, useEffect, useState } from 'react'
import { api, errorText, take } from '../api/client.ts'
import { useLive } from '../api/live.ts'
import type { Pairing } from '../api/records.ts'
import { sessionsQuery } from '../api/sessions.ts'
import { Button, ButtonLink } from '../ui/button.tsx'
import { classes } from '../ui/classes.ts'
import { CopyButton } from '../ui/copy.tsx'
import { TextField } from '../ui/field.tsx'
import { Notice, Page, Section } from '../ui/page.tsx'
import { QrImage } from '../ui/qr-image.tsx'
import { Countdown } from '../ui/time.tsx'

type Method = 'qr' | 'code'

const LATE_MS = 8_000
const PLATFORM_SILENT = 'The platform does not answer. Check that the gateway reaches the internet; it goes on trying.'
const OVER = ['linked', 'failed', 'cancelled', 'expired']

const pairingQuery = (id: string) => ({
  queryKey: ['pairing', id],
  queryFn: () => take(api.GET('/v1/pairings/{id}', { params: { path: { id } } })),
})

export function LinkPhonePage() {
  const [method, setMethod] = useState<Method>('qr')
  return (
    <Page title="Link a phone" lead="The gateway becomes a linked device of the phone, as WhatsApp on a computer does.">
      <div className="grid gap-4 lg:grid-cols-[minmax(0,1fr)_360px]">
        <Section title="Pair" action={<MethodPicker method={method} onChange={setMethod} />}>
          <Pair key={method} method={method} />
        </Section>
        <Section title="On the phone">
          <ol className="list-decimal space-y-2 pl-5 leading-relaxed">
            <li>
              Open WhatsApp and go to <b>Settings</b> (on Android: the three dots).
            </li>
            <li>
              Tap <b>Linked devices</b>, then <b>Link a device</b>.
            </li>
            <li>
              {method === 'qr' ? (
                'Point the camera at the code.'
              ) : (
                <>
                  Tap <b>Link with phone number instead</b> and type the code.
                </>
              )}
            </li>
            <li>Keep the phone online for a minute, until the number shows as connected.</li>
          </ol>
        </Section>
      </div>
    </Page>
  )
}

function MethodPicker({ method, onChange }: { method: Method; onChange: (method: Method) => void }) {
  return (
    <div role="group" aria-label="Way of pairing" className="flex rounded-lg border border-line-strong p-0.5">
      {(['qr', 'code'] as const).map(way => (
        <button
          key={way}
          type="button"
          aria-pressed={way === method}
          onClick={() => onChange(way)}
          className={classes(
            'h-7 rounded-md px-2.5 text-[13px] font-medium',
            way === method ? 'bg-accent-soft text-accent-strong' : 'text-muted hover:text-ink',
          )}
        >
          {way === 'qr' ? 'QR code' : 'Pairing code'}
        </button>
      ))}
    </div>
  )
}

function Pair({ method }: { method: Method }) {
  const start = useMutation({
    mutationFn: (phone: string | null) =>
      take(api.POST('/v1/pairings', { body: { method, ...(phone !== null && { phone }) } })),
  })
  const { mutate } = start
  useEffect(() => {
    if (method === 'qr') mutate(null)
  }, [method, mutate])
  const again = () => (method === 'qr' ? mutate(null) : start.reset())
  if (start.data) return <Progress key={start.data.id} first={start.data} onAgain={again} />
  if (method === 'code') return <AskPhone onPhone={mutate} busy={start.isPending} error={start.error} />
  if (start.error) return <Ended title={errorText(start.error)} onAgain={again} />
  return (
    <>
      <QrFrame />
      <p className="mt-3 text-center text-muted">Asking the platform for a code.</p>
    </>
  )
}

function AskPhone({ onPhone, busy, error }: { onPhone: (phone: string) => void; busy: boolean; error: Error | null }) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    onPhone(String(new FormData(event.currentTarget).get('phone')).replace(/\D/g, ''))
  }
  return (
    <form onSubmit={submit} className="max-w-sm space-y-4">
      <TextField
        label="Number of the phone"
        name="phone"
        type="tel"
        required
        autoFocus
        placeholder="+49 151 1234567"
        hint="With its country code."
        error={error ? errorText(error) : null}
      />
      <Button look="primary" type="submit" busy={busy}>
        Get a code
      </Button>
    </form>
  )
}

/** Follows a pairing to its end. Codes renew themselves while it waits. */
function Progress({ first, onAgain }: { first: Pairing; onAgain: () => void }) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { data: pairing } = useQuery({
    ...pairingQuery(first.id),
    initialData: first,
    refetchInterval: query => (OVER.includes(query.state.data?.status ?? '') ? false : 1_000),
  })
  useLive('pairing', live => {
    if (live.id === first.id) queries.setQueryData(pairingQuery(first.id).queryKey, live)
  })
  useCancelOnLeave(first.id)
  const late = useLate()
  const { status, session_id: sessionId } = pairing
  useEffect(() => {
    if (status !== 'linked') return
    void queries.invalidateQueries({ queryKey: sessionsQuery.queryKey })
    if (sessionId) void navigate({ to: '/numbers/$id', params: { id: sessionId } })
  }, [status, sessionId, queries, navigate])
  if (status === 'linked') return <Linked />
  if (status === 'failed') return <Ended title={pairing.error ?? 'The phone refused the link.'} onAgain={onAgain} />
  if (status === 'expired') return <Ended title="Nobody scanned the code in time." onAgain={onAgain} />
  if (status === 'cancelled') return <Ended title="The pairing was cancelled." onAgain={onAgain} />
  return (
    <div aria-live="polite">
      {pairing.code ? <Code code={pairing.code} /> : <QrFrame qr={pairing.qr} />}
      <p className="mt-3 text-center text-muted">
        {status === 'scanned' ? (
          'Scanned. The phone links the device now.'
        ) : status === 'pending' ? (
          late ? (
            PLATFORM_SILENT
          ) : (
            'Asking the platform for a code.'
          )
        ) : (
          <>
            Waiting for the phone. A new code comes <Countdown at={pairing.expires_at} />.
          </>
        )}
      </p>
    </div>
  )
}

/** True once the first code should long have come. */
function useLate(): boolean {
  const [late, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), LATE_MS)
    return () => clearTimeout(timer)
  }, [])
  return late
}

/** Leaving the page ends a pairing that nobody can finish any more. */
function useCancelOnLeave(id: string): void {
  const queries = useQueryClient()
  useEffect(
    () => () => {
      const status = queries.getQueryData<Pairing>(['pairing', id])?.status
      if (status !== undefined && !OVER.includes(status))
        void api.DELETE('/v1/pairings/{id}', { params: { path: { id } } })
    },
    [id, queries],
  )
}

function QrFrame({ qr }: { qr?: string | undefined }) {
  return (
    <div className="mx-auto grid size-[272px] place-items-center rounded-xl border bg-white p-4">
      {qr ? (
        <QrImage text={qr} />
      ) : (
        <QrCode size={64} aria-label="The code is on its way" className="animate-pulse text-[#c3cdca]" />
      )}
    </div>
  )
}

function Code({ code }: { code: string }) {
  return (
    <div className="flex flex-col items-center gap-3 py-6">
      <p className="font-mono text-3xl font-semibold tracking-[0.2em]">
        {code.length === 8 ? `${code.slice(0, 4)}-${code.slice(4)}` : code}
      </p>
      <CopyButton text={code} label="Copy the code" />
    </div>
  )
}

function Linked() {
  return (
    <div role="status" className="flex flex-col items-center gap-3 py-10">
      <span className="grid size-12 place-items-center rounded-full bg-accent text-on-accent">
        <Check size={24} aria-hidden />
      </span>
      <p className="text-base font-semibold">The phone is linked.</p>
      <ButtonLink to="/numbers">To your numbers</ButtonLink>
    </div>
  )
}

function Ended({ title, onAgain }: { title: string; onAgain: () => void }) {
  return (
    <div className="space-y-4">
      <Notice tone="bad">{title}</Notice>
      <Button icon={RotateCw} onClick={onAgain}>
        Try again
      </Button>
    </div>
  )
}
