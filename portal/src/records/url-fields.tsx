import { useState } from 'react'
import { CATEGORIES } from '../api/records.ts'
import { CATEGORY_WORDS, fieldOf, type UrlField } from '../api/webhooks.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { FormError } from '../ui/form-error.tsx'

export type Urls = Record<UrlField, string>

interface UrlFieldsProps {
  urls: Urls
  onChange: (urls: Urls) => void
  /** The gateway's words; they begin with the field that they are about. */
  error: string | null
}

/** The four URLs of a webhook, each with what it receives. */
export function UrlFields({ urls, onChange, error }: UrlFieldsProps) {
  const [first, setFirst] = useState('')
  const about = CATEGORIES.map(fieldOf).find(field => error?.includes(field))
  return (
    <div className="space-y-4">
      <div className="flex items-end gap-2 rounded-lg bg-raised p-3">
        <TextField
          label="One endpoint for everything"
          type="url"
          value={first}
          onChange={event => setFirst(event.target.value)}
          placeholder="https://example.com/hooks"
          className="flex-1"
        />
        <Button
          onClick={() => onChange({ messages_url: first, status_url: first, connection_url: first, events_url: first })}
          disabled={first === ''}
        >
          Use for all
        </Button>
      </div>
      {CATEGORIES.map(category => {
        const field = fieldOf(category)
        const words = CATEGORY_WORDS[category]
        return (
          <TextField
            key={field}
            label={`${words.title} URL`}
            type="url"
            name={field}
            value={urls[field]}
            onChange={event => onChange({ ...urls, [field]: event.target.value })}
            placeholder="Empty: not sent"
            error={about === field ? error : null}
            hint={`${words.what} Kinds: ${words.kinds}.`}
          />
        )
      })}
      {error && about === undefined && <FormError>{error}</FormError>}
    </div>
  )
}
