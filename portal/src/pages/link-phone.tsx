import { useNavigate, useSearch } from '@tanstack/react-router'
import { KeySquare, type LucideIcon, Plus, QrCode, TabletSmartphone } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { PairingMethod, PairingPlatform } from '../api/pairings.ts'
import { useVisitor } from '../api/use-visitor.ts'
import { Pair } from '../pairing/pair.tsx'
import { Button, ButtonLink } from '../ui/button.tsx'
import { classes } from '../ui/classes.ts'
import { Switch } from '../ui/field.tsx'
import { Page, Section } from '../ui/page.tsx'
import { Segmented } from '../ui/segmented.tsx'
import { rich } from '../rich.ts'
import { t } from '../t.ts'

const METHODS = [
  { value: 'qr', label: t('QR code') },
  { value: 'code', label: t('Pairing code') },
] as const

interface Way {
  platform: PairingPlatform
  method: PairingMethod
}

interface Offer {
  name: string
  way: Way
  title: string
  hint: string
  icon: LucideIcon
}

const SANDBOX: Offer = {
  name: 'sandbox',
  way: { platform: 'sandbox', method: 'qr' },
  title: t('Sandbox phone'),
  hint: t('No phone needed: a simulated one scans the code. Nothing leaves this machine.'),
  icon: TabletSmartphone,
}
const REAL: readonly Offer[] = [
  {
    name: 'qr',
    way: { platform: 'whatsapp', method: 'qr' },
    title: t('QR code'),
    hint: t('Scan a code with the camera of the phone.'),
    icon: QrCode,
  },
  {
    name: 'code',
    way: { platform: 'whatsapp', method: 'code' },
    title: t('Pairing code'),
    hint: t('Type a code of eight characters on the phone.'),
    icon: KeySquare,
  },
]

/** Nothing is requested from the platform before the user chooses a method. */
export function LinkPhonePage() {
  const { sandbox, mode } = useVisitor()
  const { platform, phone } = useSearch({ from: '/inside/link' })
  const navigate = useNavigate()
  const [way, setWay] = useState<Way | null>(sandbox && platform === 'sandbox' ? SANDBOX.way : null)
  const [history, setHistory] = useState(false)
  const [refusal, setRefusal] = useState<string | null>(null)
  const offers = !sandbox ? REAL : mode === 'development' ? [SANDBOX, ...REAL] : [...REAL, SANDBOX]
  const chooseAgain = (why: string | null) => {
    setRefusal(why)
    setWay(null)
    void navigate({ to: '/link', search: {}, replace: true })
  }
  return (
    <Page
      title={t('Link a phone')}
      lead={t('The gateway becomes a linked device of the phone, as WhatsApp on a computer does.')}
      action={way && <Button onClick={() => chooseAgain(null)}>{t('Choose another way')}</Button>}
    >
      {way === null ? (
        <Choose
          offers={offers}
          history={history}
          onHistory={wanted => {
            setRefusal(null)
            setHistory(wanted)
          }}
          refusal={refusal}
          onChoose={setWay}
        />
      ) : (
        <Pairing
          way={way}
          phone={phone ?? null}
          history={history}
          onHistoryRefused={chooseAgain}
          onMethod={method => setWay({ ...way, method })}
        />
      )}
    </Page>
  )
}

interface ChooseProps {
  offers: readonly Offer[]
  history: boolean
  onHistory: (wanted: boolean) => void
  /** Why the gateway did not accept the request for the history. */
  refusal: string | null
  onChoose: (way: Way) => void
}

function Choose({ offers, history, onHistory, refusal, onChoose }: ChooseProps) {
  const [chosen, setChosen] = useState(offers[0]!)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onChoose(chosen.way)
  }
  return (
    <form onSubmit={submit} className="max-w-2xl space-y-4">
      <fieldset className="space-y-2">
        <legend className="mb-2 font-semibold">{t('How do you want to link it?')}</legend>
        {offers.map(offer => (
          <OfferCard
            key={offer.name}
            offer={offer}
            checked={offer.name === chosen.name}
            onCheck={() => setChosen(offer)}
          />
        ))}
      </fieldset>
      <div className="space-y-3 rounded-lg border bg-surface px-4 py-3">
        <Switch
          label={t('Request the history')}
          hint={t(
            'The phone sends its history only now. Up to 10,000 messages of the last 90 days become events at endpoints that include the history and get the events of this number.',
          )}
          error={refusal}
          checked={history}
          onChange={onHistory}
        />
        {refusal && (
          <ButtonLink small icon={Plus} to="/endpoints" search={{ add: 'endpoint' }}>
            {t('Create an endpoint')}
          </ButtonLink>
        )}
      </div>
      <Button look="primary" type="submit">
        {t('Continue')}
      </Button>
    </form>
  )
}

function OfferCard({ offer, checked, onCheck }: { offer: Offer; checked: boolean; onCheck: () => void }) {
  const { name, title, hint, icon: Icon } = offer
  return (
    <label
      className={classes(
        'flex cursor-pointer items-center gap-3 rounded-lg border px-4 py-3',
        checked ? 'border-accent bg-accent-soft' : 'bg-surface hover:bg-raised',
      )}
    >
      <input
        type="radio"
        name="way"
        value={name}
        checked={checked}
        onChange={onCheck}
        className="size-4 shrink-0 accent-accent"
      />
      <Icon size={20} aria-hidden className={classes('shrink-0', checked ? 'text-accent-strong' : 'text-muted')} />
      <span className="min-w-0">
        <span className="block font-medium">{title}</span>
        <span className={classes('block text-[13px]', checked ? 'text-ink' : 'text-muted')}>{hint}</span>
      </span>
    </label>
  )
}

interface PairingProps {
  way: Way
  phone: string | null
  history: boolean
  onHistoryRefused: (why: string) => void
  onMethod: (method: PairingMethod) => void
}

function Pairing({ way: { platform, method }, phone, history, onHistoryRefused, onMethod }: PairingProps) {
  return (
    <div className="grid max-w-[1100px] gap-4 lg:grid-cols-[minmax(0,1fr)_360px]">
      <Section
        title={t('Pair')}
        action={
          <Segmented<PairingMethod> label={t('Pairing method')} value={method} choices={METHODS} onChange={onMethod} />
        }
      >
        <div className="min-h-[520px] sm:min-h-[480px]">
          <Pair
            key={`${platform} ${method} ${phone}`}
            method={method}
            platform={platform}
            phone={phone}
            history={history}
            onHistoryRefused={onHistoryRefused}
          />
        </div>
      </Section>
      <Section title={platform === 'sandbox' ? t('On the sandbox phone') : t('On the phone')}>
        {platform === 'sandbox' ? <SandboxSteps method={method} /> : <PhoneSteps method={method} />}
      </Section>
    </div>
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
              'Use the button below the code to let it scan. Otherwise the code renews automatically, as it does for a real phone.',
            )
          : t('Use the button below the code to let it enter the code.')}
      </p>
    </div>
  )
}
