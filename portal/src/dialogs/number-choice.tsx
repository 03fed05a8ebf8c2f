import { useQuery } from '@tanstack/react-query'
import { bareId, nameOf, phoneOf, sessionsQuery } from '../api/sessions.ts'
import { CheckField } from '../ui/field.tsx'
import { t } from '../t.ts'
import { showPhone } from '../phone-number.ts'

interface NumberChoiceProps {
  /** The ids of the chosen numbers, with or without their device; none means all. */
  chosen: string[]
  onChange: (chosen: string[]) => void
}

/** Chooses some numbers of the account, or all. */
export function NumberChoice({ chosen, onChange }: NumberChoiceProps) {
  const sessions = useQuery(sessionsQuery).data ?? []
  const bare = chosen.map(bareId)
  const known = sessions.map(session => bareId(session.id))
  const unlinked = bare.filter(id => !known.includes(id))
  if (known.length + unlinked.length < 2 && bare.length === 0) return null
  const toggle = (id: string) => onChange(toggled(bare, id))
  return (
    <details>
      <summary className="font-medium">
        {bare.length === 0
          ? t('For all numbers')
          : t('Only for {count} of {all} numbers', { count: bare.length, all: known.length + unlinked.length })}
      </summary>
      <div className="mt-2 max-h-48 overflow-y-auto rounded-lg border px-3 py-2">
        {sessions.map(session => (
          <CheckField
            key={session.id}
            label={nameOf(session)}
            hint={showPhone(session.phone)}
            checked={bare.includes(bareId(session.id))}
            onChange={() => toggle(bareId(session.id))}
          />
        ))}
        {unlinked.map(id => (
          <CheckField
            key={id}
            label={showPhone(phoneOf(id))}
            hint={t('No longer linked')}
            checked
            onChange={() => toggle(id)}
          />
        ))}
      </div>
    </details>
  )
}

export const toggled = <T,>(all: readonly T[], one: T): T[] =>
  all.includes(one) ? all.filter(other => other !== one) : [...all, one]
