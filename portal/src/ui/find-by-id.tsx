import { useNavigate } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { TextField } from './field.tsx'
import { t } from '../t.ts'

/** Opens the row with an id that was found elsewhere, such as in a log. */
export function FindById({ list, prefix }: { list: '/deliveries' | '/messages'; prefix: string }) {
  const navigate = useNavigate()
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const id = String(new FormData(event.currentTarget).get('id')).trim()
    if (id !== '') void navigate({ to: `${list}/$id`, params: { id }, search: true })
  }
  return (
    <form onSubmit={submit} className="sm:w-44">
      <TextField
        label={t('Find by id')}
        hideLabel
        name="id"
        placeholder={t('Find {prefix}…', { prefix })}
        autoComplete="off"
        spellCheck={false}
      />
    </form>
  )
}
