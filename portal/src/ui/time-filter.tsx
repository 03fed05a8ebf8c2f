import { useState } from 'react'
import { isMoving } from '../moments.ts'
import { SelectField, TextField } from './field.tsx'

const BETWEEN = 'between'
const CHOICES = [
  { value: '', label: 'Any time' },
  { value: '15m', label: 'Last 15 minutes' },
  { value: '1h', label: 'Last hour' },
  { value: '24h', label: 'Last 24 hours' },
  { value: 'today', label: 'Today' },
  { value: 'yesterday', label: 'Since yesterday' },
  { value: '7d', label: 'Last 7 days' },
  { value: BETWEEN, label: 'From … to …' },
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
        label="Time"
        hideLabel
        className="sm:w-40"
        value={fixed ? BETWEEN : since}
        onChange={event => choose(event.target.value)}
        choices={CHOICES}
      />
      {fixed && <Moment label="From" value={since} onChange={value => onChange({ since: value, until })} />}
      {fixed && <Moment label="To" value={until} onChange={value => onChange({ since, until: value })} />}
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
