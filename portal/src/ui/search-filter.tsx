import { type FormEvent, useRef, useState } from 'react'
import { TextField } from './field.tsx'

interface SearchFilterProps {
  label: string
  value: string
  onChange: (value: string) => void
}

/** A search term, applied on Enter or when the field loses the focus. */
export function SearchFilter({ label, value, onChange }: SearchFilterProps) {
  const [text, setText] = useState(value)
  const lookedFor = useRef(value)
  // When the filter is cleared, or changes by the back button, the field follows and keeps the focus.
  if (lookedFor.current !== value) {
    lookedFor.current = value
    setText(value)
  }
  const look = () => {
    if (text.trim() !== value) onChange(text.trim())
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    look()
  }
  return (
    <form role="search" onSubmit={submit} className="max-sm:col-span-2 sm:w-64">
      <TextField
        label={label}
        hideLabel
        type="search"
        placeholder={label}
        value={text}
        onChange={event => setText(event.target.value)}
        onBlur={look}
        autoComplete="off"
        spellCheck={false}
      />
    </form>
  )
}
