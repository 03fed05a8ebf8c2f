import { failureWords } from '../api/failures.ts'
import type { TestResult } from '../api/records.ts'
import { CATEGORY_WORDS } from '../api/webhooks.ts'
import { milliseconds } from '../ui/numbers-format.ts'
import { Status } from '../ui/status.tsx'
import { t } from '../t.ts'

/** The response of one endpoint to one sample. */
export function TestAnswer({ result, refusalIsFine = false }: { result: TestResult; refusalIsFine?: boolean }) {
  const good = result.error === undefined
  const fine = refusalIsFine && (result.http_status === 401 || result.http_status === 403)
  const words = failureWords({ code: result.http_status, error: result.error_kind ?? null })
  return (
    <div className="space-y-1.5 rounded-lg bg-raised px-3 py-2 text-[13px]">
      <p className="flex flex-wrap gap-x-4">
        <Status tone={good || fine ? 'good' : 'bad'}>
          {good
            ? t('Answered {code}', { code: result.http_status ?? '–' })
            : fine
              ? t('Refused with {code}', { code: result.http_status ?? '–' })
              : words.name}
        </Status>
        <span className="text-muted">{milliseconds(result.latency_ms)}</span>
      </p>
      {!good && (
        <p className="text-muted">
          {fine
            ? t(
                'It answers and checks signatures, as it should: the sample was signed with a secret that it cannot know yet.',
              )
            : words.cure}
        </p>
      )}
      {result.response_excerpt !== '' && (
        <pre
          tabIndex={0}
          aria-label={t('Excerpt of the answer')}
          className="max-h-32 overflow-auto font-mono text-[12px] break-all whitespace-pre-wrap"
        >
          {result.response_excerpt}
        </pre>
      )}
    </div>
  )
}

/** The responses to several samples. Equal ones of one URL appear once, with their categories. */
export function TestAnswers({ results, refusalIsFine }: { results: readonly TestResult[]; refusalIsFine: boolean }) {
  return (
    <ul className="space-y-3">
      {foldEqual(results).map(equal => (
        <li key={equal.map(({ category }) => category).join()}>
          <p className="mb-1 text-[13px]">
            <b className="font-medium">{equal.map(({ category }) => CATEGORY_WORDS[category].title).join(', ')}</b>{' '}
            <span className="inline-block font-mono text-[12px] break-all text-muted">{equal[0]!.url}</span>
          </p>
          <TestAnswer result={equal[0]!} refusalIsFine={refusalIsFine} />
        </li>
      ))}
    </ul>
  )
}

function foldEqual(results: readonly TestResult[]): TestResult[][] {
  const groups = new Map<string, TestResult[]>()
  for (const result of results) {
    const key = JSON.stringify([result.url, result.http_status, result.error_kind, result.response_excerpt])
    groups.set(key, [...(groups.get(key) ?? []), result])
  }
  return [...groups.values()]
}
