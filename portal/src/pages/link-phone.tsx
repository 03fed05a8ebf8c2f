import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { PairingMethod, PairingPlatform } from '../api/pairings.ts'
import { useVisitor } from '../api/use-visitor.ts'
import { Pair } from '../pairing/pair.tsx'
import { Page, Section } from '../ui/page.tsx'
import { Segmented } from '../ui/segmented.tsx'
import { rich } from '../rich.ts'
import { t } from '../t.ts'

const METHODS = [
  { value: 'qr', label: t('QR code') },
  { value: 'code', label: t('Pairing code') },
] as const
const PLATFORMS = [
  { value: 'whatsapp', label: 'WhatsApp' },
  { value: 'sandbox', label: t('Sandbox') },
] as const

export function LinkPhonePage() {
  const { sandbox } = useVisitor()
  const { platform: wanted, phone } = useSearch({ from: '/inside/link' })
  const navigate = useNavigate()
  const [method, setMethod] = useState<PairingMethod>('qr')
  const platform: PairingPlatform = sandbox && wanted === 'sandbox' ? 'sandbox' : 'whatsapp'
  return (
    <Page
      title={t('Link a phone')}
      lead={t('The gateway becomes a linked device of the phone, as WhatsApp on a computer does.')}
      action={
        sandbox && (
          <Segmented<PairingPlatform>
            label={t('Network')}
            value={platform}
            choices={PLATFORMS}
            onChange={next => void navigate({ to: '/link', search: next === 'sandbox' ? { platform: next } : {} })}
          />
        )
      }
    >
      <div className="grid max-w-[1100px] gap-4 lg:grid-cols-[minmax(0,1fr)_360px]">
        <Section
          title={t('Pair')}
          action={
            <Segmented<PairingMethod>
              label={t('Way of pairing')}
              value={method}
              choices={METHODS}
              onChange={setMethod}
            />
          }
        >
          <div className="min-h-[520px] sm:min-h-[480px]">
            <Pair key={`${platform} ${method} ${phone}`} method={method} platform={platform} phone={phone ?? null} />
          </div>
        </Section>
        <Section title={platform === 'sandbox' ? t('On the sandbox phone') : t('On the phone')}>
          {platform === 'sandbox' ? <SandboxSteps method={method} /> : <PhoneSteps method={method} />}
        </Section>
      </div>
    </Page>
  )
}

function PhoneSteps({ method }: { method: PairingMethod }) {
  return (
    <ol className="list-decimal space-y-2 pl-5 leading-relaxed">
      <li>
        {rich('Open WhatsApp and go to {settings} (on Android: the three dots).', { settings: <b>{t('Settings')}</b> })}
      </li>
      <li>
        {rich('Tap {first}, then {second}.', {
          first: <b>{t('Linked devices')}</b>,
          second: <b>{t('Link a device')}</b>,
        })}
      </li>
      <li>
        {method === 'qr' ? (
          t('Point the camera at the code.')
        ) : (
          <>{rich('Tap {choice} and type the code.', { choice: <b>{t('Link with phone number instead')}</b> })}</>
        )}
      </li>
      <li>{t('Keep the phone online for a minute, until the number shows as connected.')}</li>
    </ol>
  )
}

function SandboxSteps({ method }: { method: PairingMethod }) {
  return (
    <div className="space-y-2 leading-relaxed">
      <p>
        {t(
          'The sandbox has a phone for every number, and it links devices over the same protocol as a real one. Nothing leaves this machine, and the number does not count against your plan.',
        )}
      </p>
      <p>
        {method === 'qr'
          ? t(
              'Let it scan the code with the button below the code. Left alone, the code renews itself, as it does for a real phone.',
            )
          : t('Let it enter the code with the button below the code.')}
      </p>
      <p className="text-muted">
        {t(
          'A number that ends in 7277539, the keys for “passkey”, is linked only with its passkey, as some real ones are.',
        )}
      </p>
    </div>
  )
}
