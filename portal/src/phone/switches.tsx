import { useQuery } from '@tanstack/react-query'
import type { Session } from '../api/records.ts'
import { nameOf } from '../api/sessions.ts'
import { SessionStatus } from '../records/status-marks.tsx'
import { Switch } from '../ui/field.tsx'
import { Section } from '../ui/page.tsx'
import { contactName } from './chats.ts'
import { useSandbox } from './use-sandbox.ts'
import { conditionsQuery } from './watched.ts'
import { t } from '../t.ts'

/** Numbers with these last digits answer in one way only. */
const FIXED = /0(201|404|463|503)$/
const LONG_SECONDS = 3600

/** The settings of a phone: online, read receipts, link. */
export function Switches({ session, contact }: { session: Session; contact: string }) {
  const { act } = useSandbox(session.id, contact)
  const { data } = useQuery(conditionsQuery(session.id, contact))
  const name = contactName(contact)
  const fixed = FIXED.test(contact)
  return (
    <Section title={t('Switches')} action={<SessionStatus session={session} />}>
      <div className="space-y-4">
        <Switch
          label={t('{name} reads messages', { name })}
          hint={
            fixed
              ? t('A number that ends in {digits} never reads.', { digits: contact.slice(-4) })
              : t('Off: the contact receives messages and never reads them.')
          }
          checked={data?.read_receipts ?? true}
          disabled={data === undefined || fixed}
          onChange={enabled => void act({ action: 'read_receipts', enabled })}
        />
        <Switch
          label={t('{name} is online', { name })}
          hint={t('Sent to numbers that subscribe to it.')}
          checked={data?.online ?? false}
          disabled={data === undefined}
          onChange={online => void act({ action: 'presence', online })}
        />
        <Switch
          label={t('{name} has a connection', { name: nameOf(session) })}
          hint={t('Off: the phone has no network until you switch it on again.')}
          checked={data?.cut_until == null}
          disabled={data === undefined || session.state === 'logged_out'}
          onChange={linked => void act({ action: 'drop', seconds: linked ? 0 : LONG_SECONDS })}
        />
      </div>
    </Section>
  )
}
