import type { MemberOutcome } from '../api/records.ts'
import { showJid } from '../api/sessions.ts'
import { lookUp } from '../look-up.ts'
import { Status } from '../ui/status.tsx'
import { t } from '../t.ts'

const DONE = { add: t('In the group'), remove: t('Removed'), promote: t('Admin now'), demote: t('No longer an admin') }

type MembersAction = keyof typeof DONE

const WORDS: Record<Exclude<MemberOutcome['outcome'], 'done'>, string> = {
  already_member: t('Already a member'),
  not_member: t('Not a member'),
  not_on_platform: t('Not on WhatsApp'),
  invite_needed: t('Lets only contacts add them: send the invite link'),
  left_recently: t('Has left recently'),
  group_full: t('The group is full'),
  refused: t('Refused by WhatsApp'),
}

interface MemberOutcomesProps {
  /** What the request asked for. */
  action: MembersAction
  outcomes: readonly MemberOutcome[]
}

/** What WhatsApp did with each person of a request. */
export function MemberOutcomes({ action, outcomes }: MemberOutcomesProps) {
  return (
    <ul className="space-y-2">
      {outcomes.map(({ jid, outcome }) => (
        <li key={jid} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
          <span className="min-w-0 break-all">{showJid(jid)}</span>
          <Status tone={outcome === 'done' ? 'good' : 'bad'}>
            {outcome === 'done' ? DONE[action] : (lookUp(WORDS, outcome) ?? outcome)}
          </Status>
        </li>
      ))}
    </ul>
  )
}
