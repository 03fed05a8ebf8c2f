import { Clock, X } from 'lucide-react'
import { useState } from 'react'
import { Button } from './button.tsx'
import { type Choice, SelectField, TextField } from './field.tsx'

/** One thing that a list can be narrowed by: a choice, or a time. */
export type FilterField<Filter> = { name: keyof Filter & string; label: string } & (
  | { kind: 'choice'; choices: readonly Choice[] }
  /** Shown once somebody asks for it: most never do. */
  | { kind: 'time' }
)

interface FiltersProps<Filter extends object> {
  fields: readonly FilterField<Filter>[]
  filter: Filter
  onChange: (filter: Filter) => void
}

/** The filters of a list. They live in the URL, so a filtered list can be shared. */
export function Filters<Filter extends object>({ fields, filter, onChange }: FiltersProps<Filter>) {
  const set = (name: keyof Filter, value: string) => {
    const { [name]: _old, ...rest } = filter
    onChange((value === '' ? rest : { ...rest, [name]: value }) as Filter)
  }
  const [byTime, setByTime] = useState(false)
  const timed = fields.filter(field => field.kind === 'time')
  const showTimes = byTime || timed.some(field => filter[field.name] !== undefined)
  return (
    <>
      {fields
        .filter(field => field.kind !== 'time' || showTimes)
        .map(field => (
          <OneFilter
            key={field.name}
            field={field}
            value={String(filter[field.name] ?? '')}
            onChange={value => set(field.name, value)}
          />
        ))}
      {timed.length > 0 && !showTimes && (
        <Button icon={Clock} onClick={() => setByTime(true)}>
          Time
        </Button>
      )}
      {Object.keys(filter).length > 0 && (
        <Button look="quiet" icon={X} onClick={() => onChange({} as Filter)}>
          Clear
        </Button>
      )}
    </>
  )
}

interface OneFilterProps {
  field: FilterField<never>
  value: string
  onChange: (value: string) => void
}

function OneFilter({ field, value, onChange }: OneFilterProps) {
  if (field.kind === 'time') {
    return (
      <TextField
        label={field.label}
        hideLabel
        type="datetime-local"
        title={field.label}
        className="max-sm:col-span-2"
        value={value}
        onChange={event => onChange(event.target.value)}
      />
    )
  }
  return (
    <SelectField
      label={field.label}
      hideLabel
      className="sm:w-40"
      value={value}
      onChange={event => onChange(event.target.value)}
      choices={field.choices}
    />
  )
}
