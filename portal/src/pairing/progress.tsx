import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { QrCode, RotateCw, ScanLine } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useLive } from '../api/live.ts'
import {
  askForNewCode,
  cancelPairing,
  isOver,
  type PairingMethod,
  type PairingPlatform,
  pairingQuery,
  scanPairing,
} from '../api/pairings.ts'
import type { Pairing } from '../api/records.ts'
import { capitalized } from '../capitalized.ts'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy.tsx'
import { Notice } from '../ui/page.tsx'
import { QrImage } from '../ui/qr-image.tsx'
import { Countdown } from '../ui/time.tsx'
import { toast } from '../ui/toast.tsx'
import { ConfirmStep } from './confirm.tsx'
import { Linked } from './linked.tsx'
import { PasskeyStep } from './passkey.tsx'
import { PairingSteps } from './steps.tsx'
import { rich } from '../rich.ts'
import { t } from '../t.ts'

const LATE_MS = 8_000
const NOT_IN_TIME = { qr: t('The code was not scanned in time.'), code: t('The code was not entered in time.') }
const TAKEN = { qr: t('Scanned.'), code: t('Entered.') }
const PLATFORM_SILENT = t('The platform does not answer. Check that the gateway reaches the internet; it keeps trying.')

interface ProgressProps {
  first: Pairing
  method: PairingMethod
  platform: PairingPlatform
  onAgain: () => void
}

/** Follows a pairing to its end. Codes renew themselves while it waits. */
export function Progress({ first, method, platform, onAgain }: ProgressProps) {
  const queries = useQueryClient()
  const { data: pairing } = useQuery({ ...pairingQuery(first.id), initialData: first })
  useLive('pairing', live => {
    if (live.id === first.id) queries.setQueryData(pairingQuery(first.id).queryKey, live)
  })
  useCancelOnLeave(first.id)
  const { status } = pairing
  const late = useLate(status === 'pending')
  if (status === 'linked') return <Linked method={method} pairing={pairing} />
  const detail = pairing.error ?? pairing.detail
  const error = detail && `${capitalized(detail)}.`
  if (status === 'failed') return <Ended title={error ?? t('The phone refused the link.')} onAgain={onAgain} />
  if (status === 'expired') return <Ended title={error ?? NOT_IN_TIME[method]} onAgain={onAgain} />
  if (status === 'cancelled') return <Ended title={t('The pairing was cancelled.')} onAgain={onAgain} />
  if (status === 'passkey')
    return <PasskeyStep pairing={pairing} method={method} platform={platform} onAgain={onAgain} />
  if (status === 'confirm') return <ConfirmStep pairing={pairing} method={method} platform={platform} />
  return (
    <div className="flex flex-col items-center gap-4">
      {method === 'code' ? <Code code={pairing.code} /> : <QrFrame qr={pairing.qr} />}
      <p aria-live="polite" className="text-center text-muted">
        {status === 'scanned' && t('{value} The phone links the device now.', { value: TAKEN[method] })}
        {status === 'pending' && error && !pairing.retry_at && t('{error} The gateway keeps trying.', { error })}
        {status === 'pending' && error && pairing.retry_at && t('{error} The gateway requests another code', { error })}
        {status === 'pending' && !error && (late ? PLATFORM_SILENT : t('Asking the platform for a code.'))}
        {status === 'waiting' && t('Waiting for the phone.')}{' '}
        {status === 'pending' && pairing.retry_at && (
          <span aria-live="off">
            <Countdown at={pairing.retry_at} />.
          </span>
        )}
        {status === 'waiting' && (
          <span aria-live="off">
            {rich('A new code comes {countdown}.', { countdown: <Countdown at={pairing.expires_at} /> })}
          </span>
        )}
      </p>
      <Deeds pairing={pairing} method={method} platform={platform} />
      <PairingSteps method={method} status={status} connected={false} />
    </div>
  )
}

function Deeds({ pairing, method, platform }: Omit<ProgressProps, 'first' | 'onAgain'> & { pairing: Pairing }) {
  const queries = useQueryClient()
  const show = (next: Pairing) => queries.setQueryData(pairingQuery(pairing.id).queryKey, next)
  const scan = useMutation({ mutationFn: () => scanPairing(pairing.id), onSuccess: show, onError: toast.failed })
  const cancel = useMutation({ mutationFn: () => cancelPairing(pairing.id), onSuccess: show, onError: toast.failed })
  const renew = useMutation({ mutationFn: () => askForNewCode(pairing.id), onSuccess: show, onError: toast.failed })
  return (
    <div className="flex flex-wrap justify-center gap-2">
      {platform === 'sandbox' && (
        <Button
          look="primary"
          icon={ScanLine}
          busy={scan.isPending}
          disabled={pairing.status !== 'waiting'}
          onClick={() => scan.mutate()}
        >
          {method === 'code' ? t('Enter the code on the sandbox phone') : t('Scan with the sandbox phone')}
        </Button>
      )}
      {pairing.status === 'waiting' && pairing.code && (
        <Button icon={RotateCw} busy={renew.isPending} onClick={() => renew.mutate()}>
          {t('New code')}
        </Button>
      )}
      <Button busy={cancel.isPending} onClick={() => cancel.mutate()}>
        {t('Cancel')}
      </Button>
    </div>
  )
}

/** True once the code is overdue. */
function useLate(isWaiting: boolean): boolean {
  const [late, setLate] = useState(false)
  useEffect(() => {
    setLate(false)
    if (!isWaiting) return undefined
    const timer = setTimeout(() => setLate(true), LATE_MS)
    return () => clearTimeout(timer)
  }, [isWaiting])
  return late
}

/** Cancels the pairing when the user leaves the page, because it cannot be finished without it. */
function useCancelOnLeave(id: string): void {
  const queries = useQueryClient()
  useEffect(
    () => () => {
      const pairing = queries.getQueryData(pairingQuery(id).queryKey)
      if (pairing !== undefined && !isOver(pairing.status)) cancelPairing(id).catch(() => {})
    },
    [id, queries],
  )
}

export function QrFrame({ qr }: { qr?: string | undefined }) {
  return (
    <div className="mx-auto grid size-[272px] place-items-center rounded-xl border bg-white p-4">
      {qr ? (
        <QrImage text={qr} />
      ) : (
        <QrCode size={64} aria-label={t('The code is on its way')} className="animate-pulse text-[#c3cdca]" />
      )}
    </div>
  )
}

function Code({ code }: { code?: string | undefined }) {
  if (!code)
    return (
      <p className="animate-pulse py-6 font-mono text-3xl font-semibold tracking-[0.2em] text-muted">
        <span className="sr-only">{t('The code is on its way')}</span>
        <span aria-hidden>••••-••••</span>
      </p>
    )
  return (
    <div className="flex flex-col items-center gap-3 py-6">
      <p data-code={code} className="font-mono text-3xl font-semibold tracking-[0.2em]">
        {code.length === 8 ? `${code.slice(0, 4)}-${code.slice(4)}` : code}
      </p>
      <CopyButton text={code} label={t('Copy the code')} />
    </div>
  )
}

/** What to do about the errors that are known. */
const cureOf = (title: string): string =>
  /limit of \d+ numbers/.test(title)
    ? ` ${t('Unlink a number that you no longer need, or move to a larger plan.')}`
    : ''

export function Ended({ title, onAgain }: { title: string; onAgain: () => void }) {
  return (
    <div className="space-y-4">
      <div role="alert">
        <Notice tone="bad">
          {title.replace(/\.$/, '')}.{cureOf(title)}
        </Notice>
      </div>
      <Button icon={RotateCw} onClick={onAgain}>
        {t('Try again')}
      </Button>
    </div>
  )
}
