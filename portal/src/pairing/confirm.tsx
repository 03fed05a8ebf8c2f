import { useMutation, useQuery } from '@tanstack/react-query'
import { Check } from 'lucide-react'
import { confirmCode, signInSandbox } from '../api/passkey.ts'
import { cancelPairing, type PairingMethod, type PairingPlatform } from '../api/pairings.ts'
import type { Pairing } from '../api/records.ts'
import { Button } from '../ui/button.tsx'
import { Countdown } from '../ui/time.tsx'
import { toast } from '../ui/toast.tsx'
import { Head, useShowPairing } from './passkey-parts.tsx'
import { PairingSteps } from './steps.tsx'
import { rich } from '../rich.ts'
import { t } from '../t.ts'

interface ConfirmProps {
  pairing: Pairing
  method: PairingMethod
  platform: PairingPlatform
}

/** Phone and gateway each show a code, and the user confirms that they are the same. */
export function ConfirmStep({ pairing, method, platform }: ConfirmProps) {
  const show = useShowPairing(pairing.id)
  const confirm = useMutation({ mutationFn: () => confirmCode(pairing.id), onSuccess: show, onError: toast.failed })
  const stop = useMutation({ mutationFn: () => cancelPairing(pairing.id), onSuccess: show, onError: toast.failed })
  return (
    <div className="mx-auto max-w-2xl space-y-4">
      <Head title={t('Does the phone show the same code?')}>
        {rich(
          'If it shows another code, someone else may be trying to link this number: stop then. The request expires {span}',
          {
            span: (
              <span aria-live="off">
                <Countdown at={pairing.expires_at} />
              </span>
            ),
          },
        )}
        .
      </Head>
      <p data-code={pairing.code} className="py-4 text-center font-mono text-3xl font-semibold tracking-[0.2em]">
        {pairing.code}
      </p>
      {platform === 'sandbox' && <SandboxCode id={pairing.id} />}
      <div className="flex flex-wrap gap-2">
        <Button look="primary" icon={Check} busy={confirm.isPending} onClick={() => confirm.mutate()}>
          {t('Yes, it is the same')}
        </Button>
        <Button busy={stop.isPending} onClick={() => stop.mutate()}>
          {t('No, stop')}
        </Button>
      </div>
      <PairingSteps method={method} status={pairing.status} connected={false} />
    </div>
  )
}

function SandboxCode({ id }: { id: string }) {
  const { data } = useQuery({ queryKey: ['sandbox-code', id], queryFn: () => signInSandbox(id), retry: false })
  return (
    <p className="text-center text-muted">
      {rich('The sandbox phone shows {span}.', {
        span: <span className="font-mono font-medium">{data?.code ?? '…'}</span>,
      })}
    </p>
  )
}
