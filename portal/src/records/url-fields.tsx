import { SlidersHorizontal } from 'lucide-react'
import { useState } from 'react'
import { CATEGORIES } from '../api/records.ts'
import { CATEGORY_WORDS, fieldOf, NOWHERE, toOne, type Urls } from '../api/webhooks.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { FormError } from '../ui/form-error.tsx'
import { t } from '../t.ts'

interface UrlFieldsProps {
  urls: Urls
  onChange: (urls: Urls) => void
  /** The gateway's message, which begins with the name of the field. */
  error: string | null
}

/** Where the events go: one URL for all of them, or one for each category. */
export function UrlFields({ urls, onChange, error }: UrlFieldsProps) {
  const isOne = CATEGORIES.every(category => urls[fieldOf(category)] === urls.messages_url)
  const [each, setEach] = useState(!isOne)
  if (each) return <EachUrl urls={urls} onChange={onChange} error={error} onMerge={() => setEach(false)} />
  return (
    <div className="space-y-3">
      <TextField
        label={t('Endpoint URL')}
        inputMode="url"
        autoComplete="url"
        spellCheck={false}
        value={urls.messages_url}
        onChange={event => onChange(toOne(event.target.value))}
        placeholder="https://example.com/hooks"
        error={error?.replace(/(ErrHTTPSRequired: )?\b(messages|status|connection|events)_url\b/, 'It')}
        hint={t('Messages, receipts, connection changes and everything else are posted here.')}
      />
      <Button small look="quiet" icon={SlidersHorizontal} className="-ml-2.5" onClick={() => setEach(true)}>
        {t('Customise: a URL for each category')}
      </Button>
    </div>
  )
}

function EachUrl({ urls, onChange, error, onMerge }: UrlFieldsProps & { onMerge: () => void }) {
  const about = CATEGORIES.map(fieldOf).find(field => error?.startsWith(field) || error?.includes(`: ${field} `))
  const merge = () => {
    onChange(toOne(CATEGORIES.map(category => urls[fieldOf(category)]).find(url => url !== '') ?? ''))
    onMerge()
  }
  return (
    <div className="space-y-4">
      {CATEGORIES.map(category => {
        const field = fieldOf(category)
        const words = CATEGORY_WORDS[category]
        return (
          <TextField
            key={field}
            label={t('{title} URL', { title: words.title })}
            inputMode="url"
            spellCheck={false}
            name={field}
            value={urls[field]}
            onChange={event => onChange({ ...urls, [field]: event.target.value })}
            placeholder={t('Empty: not sent')}
            error={about === field ? error : null}
            hint={t('{what} Kinds: {kinds}.', { what: words.what, kinds: words.kinds })}
          />
        )
      })}
      {error && about === undefined && <FormError>{error}</FormError>}
      <Button small look="quiet" className="-ml-2.5" onClick={merge}>
        {t('One URL for everything')}
      </Button>
    </div>
  )
}

/** What is missing before the URLs can be tested or saved. */
export const missingUrl = (urls: Urls): string | null =>
  CATEGORIES.every(category => urls[fieldOf(category)].trim() === '') ? NOWHERE : null
