import { useQuery } from '@tanstack/react-query'
import type { Health, Session } from '../api/records.ts'
import { healthQuery } from '../api/sessions.ts'
import { ErrorNote, Facts } from '../ui/page.tsx'
import { count } from '../ui/numbers-format.ts'
import { Status, type Tone } from '../ui/status.tsx'
import { t } from '../t.ts'

const STATUS: Record<Health['status'], [Tone, string]> = {
  good: ['good', t('Good')],
  warned: ['waiting', t('Warned')],
  restricted: ['waiting', t('Restricted')],
  banned: ['bad', t('Banned')],
}

/** How the platform treats a number, at a glance. */
export function NumberHealth({ session }: { session: Session }) {
  const { data: health, error } = useQuery(healthQuery(session.id))
  if (error) return <ErrorNote error={error} />
  if (!health) return null
  const [tone, word] = STATUS[health.status]
  return (
    <Facts
      facts={[
        [
          t('Health'),
          <Status key="status" tone={tone}>
            {word}
          </Status>,
        ],
        [t('New chats'), newChatsIn(health)],
        [t('People who answer'), answeredIn(health)],
        [t('Refused messages'), refusedIn(health)],
      ]}
    />
  )
}

const numberOf = (value: number | null): string => (value === null ? '–' : count(value))

function newChatsIn({ new_chats: cap }: Health): string {
  if (cap === null || cap.limit === null) return t('No limit reported')
  return t('{used} of {limit}', { used: numberOf(cap.used), limit: numberOf(cap.limit) })
}

function answeredIn({ answered: { chats, answered } }: Health): string {
  if (chats === 0) return t('No chats in seven days')
  return t('{answered} of {chats} in seven days', { answered: count(answered), chats: count(chats) })
}

function refusedIn({ refusals: { codes } }: Health): string {
  if (codes.length === 0) return t('None in seven days')
  return codes
    .map(({ code, count: refused }) => t('{count} with code {code}', { count: count(refused), code: String(code) }))
    .join(', ')
}
