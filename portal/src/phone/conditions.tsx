import { type ReactNode, useState } from 'react'
import type { Session } from '../api/records.ts'
import { nameOf } from '../api/sessions.ts'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/dialog.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { Section } from '../ui/page.tsx'
import { toast } from '../ui/toast.tsx'
import { FIRST_CONTACT } from './chats.ts'
import { type Acting, useSandbox } from './use-sandbox.ts'
import { t } from '../t.ts'

const FAILURES = [
  { value: 'withheld', label: t('No acknowledgement comes') },
  { value: 'rejected', label: t('The platform rejects it') },
  { value: 'slow', label: t('The acknowledgement is slow') },
]

type Run = (action: Acting, done: string) => Promise<void>

/** Simulates the failures of real networks for this number. */
export function Conditions({ session }: { session: Session }) {
  const { act } = useSandbox(session.id, FIRST_CONTACT)
  const run: Run = async (action, done) => {
    if ((await act(action)) !== null) toast.done(done)
  }
  return (
    <Section title={t('Conditions')}>
      <div className="grid gap-4 sm:grid-cols-2">
        <CutLink run={run} />
        <FailNextSend run={run} />
        <ChannelPost run={run} />
        <LogOut session={session} run={run} />
      </div>
    </Section>
  )
}

function CutLink({ run }: { run: Run }) {
  const [seconds, setSeconds] = useState('5')
  const cut = () =>
    void run({ action: 'drop', seconds: Number(seconds) }, t('The connection is cut for {seconds} s.', { seconds }))
  return (
    <Row button={<Button onClick={cut}>{t('Cut the connection')}</Button>}>
      <TextField
        label={t('Seconds without a connection')}
        type="number"
        min={0}
        max={3600}
        value={seconds}
        onChange={event => setSeconds(event.target.value)}
      />
    </Row>
  )
}

function FailNextSend({ run }: { run: Run }) {
  const [ack, setAck] = useState('withheld')
  const fail = () => void run({ action: 'fail_next', ack: ack as 'withheld' }, t('The next send will fail that way.'))
  return (
    <Row button={<Button onClick={fail}>{t('Fail the next send')}</Button>}>
      <SelectField
        label={t('How it fails')}
        value={ack}
        onChange={event => setAck(event.target.value)}
        choices={FAILURES}
      />
    </Row>
  )
}

function ChannelPost({ run }: { run: Run }) {
  const [text, setText] = useState(t('News from the channel'))
  const post = () => void run({ action: 'newsletter_post', text }, t('The channel has posted.'))
  return (
    <Row button={<Button onClick={post}>{t('Post')}</Button>}>
      <TextField
        label={t('Post in a channel that the number follows')}
        value={text}
        onChange={event => setText(event.target.value)}
      />
    </Row>
  )
}

function LogOut({ session, run }: { session: Session; run: Run }) {
  const [asking, setAsking] = useState(false)
  const ask = (
    <Button look="quiet-danger" onClick={() => setAsking(true)}>
      {t('Log out')}
    </Button>
  )
  return (
    <Row button={ask}>
      <p className="text-[13px] text-muted">
        {t('The phone unlinks the gateway. To use the number again, pair it again.')}
      </p>
      {asking && (
        <Confirm
          title={t('Log out {name}?', { name: nameOf(session) })}
          action={t('Log out')}
          danger
          onConfirm={() => run({ action: 'log_out' }, t('Logged out.'))}
          onClose={() => setAsking(false)}
        >
          <p>
            {t(
              'The number gets a logged_out event, its queued messages fail, and it stays logged out until it is paired again.',
            )}
          </p>
        </Confirm>
      )}
    </Row>
  )
}

function Row({ children, button }: { children: ReactNode; button: ReactNode }) {
  return (
    <div className="flex flex-wrap items-end gap-2">
      <div className="min-w-56 flex-1">{children}</div>
      {button}
    </div>
  )
}
