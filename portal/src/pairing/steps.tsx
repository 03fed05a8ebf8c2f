import { Check } from 'lucide-react'
import type { PairingMethod } from '../api/pairings.ts'
import type { Pairing } from '../api/records.ts'
import { classes } from '../ui/classes.ts'
import { t } from '../t.ts'

const STEPS = {
  qr: [t('Code shown'), t('Scanned'), t('Linked'), t('Connected')],
  code: [t('Code shown'), t('Entered'), t('Linked'), t('Connected')],
}

interface PairingStepsProps {
  method: PairingMethod
  status: Pairing['status']
  connected: boolean
}

/** How many of the steps are done. */
function doneOf(status: Pairing['status'], connected: boolean): number {
  if (status === 'linked') return connected ? 4 : 3
  if (status === 'scanned' || status === 'passkey' || status === 'confirm') return 2
  return status === 'waiting' ? 1 : 0
}

/** The steps of a pairing, with those that are done. */
export function PairingSteps({ method, status, connected }: PairingStepsProps) {
  const done = doneOf(status, connected)
  return (
    <ol aria-label={t('Steps')} className="grid w-full max-w-md grid-cols-4 gap-2 pt-2">
      {STEPS[method].map((step, index) => (
        <li
          key={step}
          aria-current={index === done ? 'step' : undefined}
          className={classes(
            'border-t-2 pt-2 text-[12px] leading-snug',
            index < done ? 'border-accent font-medium' : 'border-line text-muted',
          )}
        >
          {step}
          {index < done && (
            <>
              <Check size={12} aria-hidden className="ml-1 hidden text-accent sm:inline" />
              <span className="sr-only"> {t('(done)')}</span>
            </>
          )}
        </li>
      ))}
    </ol>
  )
}
