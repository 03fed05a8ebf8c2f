import { X } from 'lucide-react'
import { Button } from './button.tsx'
import { type Choice, SelectField } from './field.tsx'
import { SearchFilter } from './search-filter.tsx'
import { TimeFilter } from './time-filter.tsx'
import { t } from '../t.ts'

/** One filter of a list: a choice, a search term or a checkbox. */
export type FilterField<Filter> = { name: keyof Filter & string; label: string } & (
  | { kind: 'choice'; choices: readonly Choice[] }
  | { kind: 'text' }
  | { kind: 'check'; value: string }
)

interface FiltersProps<Filter extends object> {
  fields: readonly FilterField<Filter>[]
  filter: Filter
  onChange: (filter: Filter) => void
  /** Whether the list has the filters `since` and `until`. */
  byTime?: boolean
}

interface Times {
  since?: string
  until?: string
}

/** The filters of a list. They live in the URL, so a filtered list can be shared. */
export function Filters<Filter extends object>({ fields, filter, onChange, byTime = false }: FiltersProps<Filter>) {
  const set = (changes: Record<string, string>) =>
    onChange(
      Object.fromEntries(Object.entries({ ...filter, ...changes }).filter(([, value]) => value !== '')) as Filter,
    )
  const { since = '', until = '' }: Times = filter
  return (
    <>
      {fields.map(field => (
        <OneFilter
          key={field.name}
          field={field}
          value={String(filter[field.name] ?? '')}
          onChange={value => set({ [field.name]: value })}
        />
      ))}
      {byTime && <TimeFilter since={since} until={until} onChange={times => set({ ...times })} />}
      {Object.keys(filter).length > 0 && (
        <Button look="quiet" icon={X} onClick={() => onChange({} as Filter)}>
          {t('Clear')}
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
  if (field.kind === 'text') return <SearchFilter label={field.label} value={value} onChange={onChange} />
  if (field.kind === 'check')
    return (
      <label className="flex h-9 items-center gap-2 px-1 text-[13px]">
        <input
          type="checkbox"
          checked={value === field.value}
          onChange={event => onChange(event.target.checked ? field.value : '')}
          className="size-4 accent-accent"
        />
        {field.label}
      </label>
    )
  return (
    <SelectField
      label={field.label}
      hideLabel
      className="sm:w-48"
      value={value}
      onChange={event => onChange(event.target.value)}
      choices={field.choices}
    />
  )
}
