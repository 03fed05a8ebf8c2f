import { useState } from 'react'
import { isMoving } from '../moments.ts'
import { SelectField, TextField } from './field.tsx'
import { t } from '../t.ts'

const BETWEEN = 'between'
const CHOICES = [
  { value: '', label: t('Any time') },
  { value: '15m', label: t('Last 15 minutes') },
  { value: '1h', label: t('Last hour') },
  { value: '24h', label: t('Last 24 hours') },
  { value: 'today', label: t('Today') },
  { value: 'yesterday', label: t('Since yesterday') },
  { value: '7d', label: t('Last 7 days') },
  { value: BETWEEN, label: t('From … to …') },
]

interface TimeFilterProps {
  since: string
  until: string
  onChange: (times: { since: string; until: string }) => void
}

/** A time that moves with the clock, or two that stay. */
export function TimeFilter({ since, until, onChange }: TimeFilterProps) {
  const [asking, setAsking] = useState(false)
  const fixed = asking || until !== '' || (since !== '' && !isMoving(since))
  const choose = (value: string) => {
    setAsking(value === BETWEEN)
    onChange({ since: value === BETWEEN ? '' : value, until: '' })
  }
  return (
    <>
      <SelectField
        label={t('Time')}
        hideLabel
        className="sm:w-48"
        value={fixed ? BETWEEN : since}
        onChange={event => choose(event.target.value)}
        choices={CHOICES}
      />
      {fixed && (
        <Moment label={t('From ¦ a time')} value={since} onChange={value => onChange({ since: value, until })} />
      )}
      {fixed && <Moment label={t('To ¦ a time')} value={until} onChange={value => onChange({ since, until: value })} />}
    </>
  )
}

function Moment({ label, value, onChange }: { label: string; value: string; onChange: (value: string) => void }) {
  return (
    <TextField
      label={label}
      hideLabel
      type="datetime-local"
      title={label}
      className="max-sm:col-span-2"
      value={value}
      onChange={event => onChange(event.target.value)}
    />
  )
}
