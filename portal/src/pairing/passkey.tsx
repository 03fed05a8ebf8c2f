import { useMutation } from '@tanstack/react-query'
import { KeyRound, RotateCw } from 'lucide-react'
import { useState } from 'react'
import { bringPasskey, signInSandbox } from '../api/passkey.ts'
import { cancelPairing, type PairingMethod, type PairingPlatform } from '../api/pairings.ts'
import type { Pairing } from '../api/records.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/page.tsx'
import { Segmented } from '../ui/segmented.tsx'
import { Countdown } from '../ui/time.tsx'
import { toast } from '../ui/toast.tsx'
import { ByConsole } from './passkey-console.tsx'
import { ByExtension } from './passkey-extension.tsx'
import { Head, useShowPairing } from './passkey-parts.tsx'
import { PairingSteps } from './steps.tsx'
import { rich } from '../rich.ts'
import { t } from '../t.ts'

const WAYS = [
  { value: 'extension', label: t('Browser extension') },
  { value: 'console', label: t('Without an extension') },
] as const

interface PasskeyProps {
  pairing: Pairing
  method: PairingMethod
  platform: PairingPlatform
  onAgain: () => void
}

/** The platform requests the number's passkey: guides the user to the place where it works, and back. */
export function PasskeyStep({ pairing, method, platform, onAgain }: PasskeyProps) {
  return (
    <div className="mx-auto max-w-2xl space-y-4">
      <Head title={t('This number has a passkey')}>
        {rich(
          'WhatsApp asks for it before it links the device. Keep this page open: it continues automatically. The request expires {countdown}',
          {
            countdown: (
              <span aria-live="off">
                <Countdown at={pairing.expires_at} />
              </span>
            ),
          },
        )}
        .
      </Head>
      {platform === 'sandbox' ? <SandboxKey pairing={pairing} /> : <RealKey pairing={pairing} />}
      <StartOver id={pairing.id} onAgain={onAgain} />
      <PairingSteps method={method} status={pairing.status} connected={false} />
    </div>
  )
}

function SandboxKey({ pairing: { id } }: { pairing: Pairing }) {
  const show = useShowPairing(id)
  const use = useMutation({
    mutationFn: async (compareCodes: boolean) => {
      const { assertion } = await signInSandbox(id)
      if (assertion === undefined) throw new Error(t('This pairing does not require a passkey now.'))
      return await bringPasskey(id, { ...assertion, compare_codes: compareCodes })
    },
    onSuccess: show,
    onError: toast.failed,
  })
  return (
    <div className="space-y-3">
      <p className="leading-relaxed">
        {t(
          'The sandbox has a software key for this number. With a real number a person uses the passkey on a page of WhatsApp.',
        )}
      </p>
      <div className="flex flex-wrap gap-2">
        <Button look="primary" icon={KeyRound} busy={use.isPending} onClick={() => use.mutate(false)}>
          {t('Use the sandbox’s passkey')}
        </Button>
        <Button busy={use.isPending} onClick={() => use.mutate(true)}>
          {t('Use it and compare codes')}
        </Button>
      </div>
    </div>
  )
}

function RealKey({ pairing }: { pairing: Pairing }) {
  const [way, setWay] = useState<(typeof WAYS)[number]['value']>('extension')
  return (
    <div className="space-y-4">
      <p className="leading-relaxed">
        {t(
          'A passkey works only on a page of WhatsApp itself. Your browser finds the passkey on this computer, in your password manager, or on your phone through a QR code. So you take the request to WhatsApp Web, use the passkey there, and bring the answer back here.',
        )}
      </p>
      <div className="flex">
        <Segmented label={t('How to use the passkey')} value={way} choices={WAYS} onChange={setWay} />
      </div>
      {way === 'extension' ? <ByExtension pairing={pairing} /> : <ByConsole pairing={pairing} />}
      <Notice tone="waiting">
        {t(
          'We have not tried this with the real WhatsApp yet, so it may fail. You need a computer: there is no known way with only a phone. Deleting the passkey does not help, because WhatsApp then asks for a new one.',
        )}
      </Notice>
    </div>
  )
}

function StartOver({ id, onAgain }: { id: string; onAgain: () => void }) {
  const restart = useMutation({ mutationFn: () => cancelPairing(id), onSuccess: onAgain, onError: toast.failed })
  return (
    <div>
      <Button icon={RotateCw} busy={restart.isPending} onClick={() => restart.mutate()}>
        {t('Start over')}
      </Button>
    </div>
  )
}
