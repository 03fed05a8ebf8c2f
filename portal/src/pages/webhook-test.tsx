import { useMutation } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { Send } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { api, take } from '../api/client.ts'
import { CATEGORIES, type Category, type TestResult, type Webhook } from '../api/records.ts'
import { CATEGORY_WORDS, fieldOf, type Urls } from '../api/webhooks.ts'
import { TestAnswer } from '../records/test-results.tsx'
import { Button } from '../ui/button.tsx'
import { Switch } from '../ui/field.tsx'
import { ErrorNote, Section } from '../ui/page.tsx'
import { t } from '../t.ts'

type Results = Partial<Record<Category, TestResult>>

/** The URL of one category, or all of them. */
const onlyOf = (urls: Urls, category: Category | undefined): Partial<Urls> =>
  category === undefined ? urls : { [fieldOf(category)]: urls[fieldOf(category)] }

/** Sends samples to the URLs in the fields, saved or not, and shows the responses. */
export function WebhookTest({ webhook, urls }: { webhook: Webhook; urls: Urls }) {
  const [sign, setSign] = useState(true)
  const [results, setResults] = useState<Results>({})
  const test = useMutation({
    mutationFn: (category: Category | undefined) =>
      take(
        api.POST('/v1/webhooks/try', {
          body: { session_id: webhook.session_id, webhook_id: webhook.id, sign, ...onlyOf(urls, category) },
        }),
      ),
    onSuccess: ({ data }) =>
      setResults(old => ({ ...old, ...Object.fromEntries(data.map(result => [result.category, result])) })),
  })
  const ref = useScrollToHash('test')
  return (
    <div ref={ref} id="test" className="scroll-mt-16">
      <Section
        title={t('Test')}
        action={
          <Button small icon={Send} busy={test.isPending} onClick={() => test.mutate(undefined)}>
            {t('Test all')}
          </Button>
        }
      >
        <div className="space-y-4">
          <Switch
            label={t('Sign with the real secret')}
            hint={t('Off: your endpoint should answer 401.')}
            checked={sign}
            onChange={setSign}
          />
          {test.error && <ErrorNote error={test.error} />}
          <ul className="divide-y border-t" aria-live="polite">
            {CATEGORIES.map(category => (
              <CategoryTest
                key={category}
                title={CATEGORY_WORDS[category].title}
                url={urls[fieldOf(category)]}
                busy={test.isPending && test.variables === category}
                onTest={() => test.mutate(category)}
                result={results[category]}
              />
            ))}
          </ul>
        </div>
      </Section>
    </div>
  )
}

interface CategoryTestProps {
  title: string
  url: string
  busy: boolean
  onTest: () => void
  result: TestResult | undefined
}

function CategoryTest({ title, url, busy, onTest, result }: CategoryTestProps) {
  return (
    <li className="py-3">
      <div className="flex items-center gap-3">
        <div className="min-w-0 flex-1">
          <p className="font-medium">{title}</p>
          <p className="truncate font-mono text-[12px] text-muted" title={url}>
            {url || t('No URL, not sent')}
          </p>
        </div>
        <Button small disabled={url === ''} busy={busy} onClick={onTest}>
          {t('Test')}
        </Button>
      </div>
      {result && (
        <div className="mt-2">
          <TestAnswer result={result} />
        </div>
      )}
    </li>
  )
}

function useScrollToHash(name: string) {
  const { hash } = useLocation()
  const ref = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (hash === name) ref.current?.scrollIntoView({ block: 'start' })
  }, [hash, name])
  return ref
}
