import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { X } from 'lucide-react'
import type { FormEvent } from 'react'
import type { DeliveryFilter } from '../api/deliveries.ts'
import { bareId, nameOf, sessionsQuery } from '../api/sessions.ts'
import { Button } from './button.tsx'
import { SelectField, TextField } from './field.tsx'

const RESULTS = [
  { value: '', label: 'Any result' },
  { value: 'delivered', label: 'Delivered' },
  { value: 'pending', label: 'Pending' },
  { value: 'failed', label: 'Retrying' },
  { value: 'dead', label: 'Dead letters' },
]
const TYPES = [
  { value: '', label: 'Any event' },
  { value: 'incoming_message', label: 'Incoming message' },
  { value: 'message_status', label: 'Message status' },
  { value: 'outbound_failure', label: 'Outbound failure' },
  { value: 'connection_status', label: 'Connection status' },
  { value: 'other', label: 'Other event' },
]

interface DeliveryFiltersProps {
  filter: DeliveryFilter
  onChange: (filter: DeliveryFilter) => void
}

/** The filters of the deliveries. They live in the URL, so a filtered list can be shared. */
export function DeliveryFilters({ filter, onChange }: DeliveryFiltersProps) {
  const sessions = useQuery(sessionsQuery).data ?? []
  const numbers = [
    { value: '', label: 'All numbers' },
    ...sessions.map(session => ({ value: bareId(session.id), label: nameOf(session) })),
  ]
  const set = (name: keyof DeliveryFilter, value: string) => {
    const { [name]: _old, ...rest } = filter
    onChange(value === '' ? rest : ({ ...rest, [name]: value } as DeliveryFilter))
  }
  return (
    <>
      <SelectField
        label="Result"
        hideLabel
        className="min-w-32 max-sm:flex-1"
        value={filter.status ?? ''}
        onChange={event => set('status', event.target.value)}
        choices={RESULTS}
      />
      <SelectField
        label="Event"
        hideLabel
        className="min-w-40 max-sm:flex-1"
        value={filter.type ?? ''}
        onChange={event => set('type', event.target.value)}
        choices={TYPES}
      />
      <SelectField
        label="Number"
        hideLabel
        className="min-w-36 max-sm:flex-1"
        value={filter.number ?? ''}
        onChange={event => set('number', event.target.value)}
        choices={numbers}
      />
      <TextField
        label="From"
        hideLabel
        type="datetime-local"
        title="From"
        className="max-sm:flex-1"
        value={filter.since ?? ''}
        onChange={event => set('since', event.target.value)}
      />
      <TextField
        label="Until"
        hideLabel
        type="datetime-local"
        title="Until"
        className="max-sm:flex-1"
        value={filter.until ?? ''}
        onChange={event => set('until', event.target.value)}
      />
      <FindById />
      {Object.keys(filter).length > 0 && (
        <Button look="quiet" icon={X} onClick={() => onChange({})}>
          Clear
        </Button>
      )}
    </>
  )
}

function FindById() {
  const navigate = useNavigate()
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const id = String(new FormData(event.currentTarget).get('id')).trim()
    if (id !== '') void navigate({ to: '/deliveries/$id', params: { id }, search: true })
  }
  return (
    <form onSubmit={submit} className="max-sm:flex-1">
      <TextField
        label="Find by id"
        hideLabel
        name="id"
        placeholder="Find dlv_…"
        autoComplete="off"
        spellCheck={false}
      />
    </form>
  )
}
