import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useState } from 'react'
import { api, take } from '../api/client.ts'
import { groupQuery, groupsQuery } from '../api/number-lists.ts'
import { rowsOf } from '../api/paging.ts'
import type { Group } from '../api/records.ts'
import { bareId, showJid } from '../api/sessions.ts'
import { toggled } from '../dialogs/number-choice.tsx'
import { peopleIn } from '../dialogs/people-in.ts'
import { errorText } from '../error-text.ts'
import { MemberOutcomes } from '../records/member-outcomes.tsx'
import { Button } from '../ui/button.tsx'
import { classes } from '../ui/classes.ts'
import { CodeBlock } from '../ui/code-block.tsx'
import { CopyId } from '../ui/copy.tsx'
import { Confirm } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { FormError } from '../ui/form-error.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Facts } from '../ui/page.tsx'
import { SidePanel } from '../ui/side-panel.tsx'
import { Badge } from '../ui/status.tsx'
import { ExactTime } from '../ui/time.tsx'
import { toast } from '../ui/toast.tsx'
import { t } from '../t.ts'

const SKELETON = <div aria-hidden className="skeleton h-80" />

const ROLE_WORDS: Record<NonNullable<Group['role']>, string> = {
  member: t('Member'),
  admin: t('Admin'),
  owner: t('Owner ¦ of a group'),
}
const PERMITTED_WORDS: Record<Group['settings']['write'], string> = { all: t('All members'), admins: t('Admins only') }

export function GroupPanel() {
  const { id, jid } = useParams({ from: '/inside/numbers/$id/groups/$jid' })
  const rows = rowsOf(useInfiniteQuery(groupsQuery(id)).data)
  const query = useQuery(groupQuery(id, jid))
  const navigate = useNavigate()
  const at = rows.findIndex(row => row.jid === jid)
  const stepTo = (other: { jid: string } | undefined) =>
    other && (() => void navigate({ to: '/numbers/$id/groups/$jid', params: { id, jid: other.jid }, replace: true }))
  return (
    <SidePanel
      title={query.data?.subject ?? rows[at]?.subject ?? t('Group')}
      subject={jid}
      onClose={() => void navigate({ to: '/numbers/$id/groups', params: { id } })}
      onPrevious={stepTo(rows[at - 1])}
      onNext={at === -1 ? undefined : stepTo(rows[at + 1])}
      actions={query.data && <Leave id={id} group={query.data} />}
    >
      <Loaded query={query} skeleton={SKELETON}>
        {group => <Details key={jid} id={id} group={group} />}
      </Loaded>
    </SidePanel>
  )
}

function Details({ id, group }: { id: string; group: Group }) {
  const { settings } = group
  const facts: [string, ReactNode][] = [
    ['JID', <CopyId key="jid" id={group.jid} className="-ml-1" />],
    ...(group.description === '' ? [] : [[t('Description'), group.description] satisfies [string, ReactNode]]),
    [t('Role of this number'), group.role === null ? '–' : ROLE_WORDS[group.role]],
    [t('Who may send'), PERMITTED_WORDS[settings.write]],
    [t('Who may change it'), PERMITTED_WORDS[settings.edit]],
    [t('Who may add people'), PERMITTED_WORDS[settings.add]],
    [t('Joining by the link'), settings.join_approval ? t('An admin approves') : t('At once')],
    [t('Created'), group.created_at ? <ExactTime key="created" at={group.created_at} /> : '–'],
  ]
  const isAdmin = group.role === 'admin' || group.role === 'owner'
  return (
    <div className="space-y-6">
      <Facts facts={facts} />
      {isAdmin && <Invite id={id} jid={group.jid} />}
      {(isAdmin || settings.add === 'all') && <AddMembers id={id} jid={group.jid} />}
      <Members id={id} group={group} isAdmin={isAdmin} />
    </div>
  )
}

type Member = Group['members'][number]

/** The phone number, where it is known: people know their contacts by it. */
const nameOfMember = ({ jid, phone }: Member): string => phone ?? jid

interface MembersProps {
  id: string
  group: Group
  isAdmin: boolean
}

/** An admin chooses members and changes all of them in one request. */
function Members({ id, group: { jid, members }, isAdmin }: MembersProps) {
  const [chosen, setChosen] = useState<readonly string[]>([])
  const people = members.filter(member => chosen.includes(member.jid))
  return (
    <section className="space-y-3 border-t pt-5">
      <h3 className="font-semibold">{t('Members ({count})', { count: members.length })}</h3>
      <ul className="text-[13px]">
        {members.map(member => (
          <MemberRow
            key={member.jid}
            member={member}
            isSelf={bareId(id) === member.phone}
            checked={isAdmin ? chosen.includes(member.jid) : undefined}
            onCheck={() => setChosen(toggled(chosen, member.jid))}
          />
        ))}
      </ul>
      {isAdmin && <ChangeMembers id={id} jid={jid} people={people} onChanged={() => setChosen([])} />}
    </section>
  )
}

interface MemberRowProps {
  member: Member
  /** The number itself: it leaves the group instead. */
  isSelf: boolean
  /** `undefined` where members cannot be changed. */
  checked: boolean | undefined
  onCheck: () => void
}

function MemberRow({ member, isSelf, checked, onCheck }: MemberRowProps) {
  const canChange = checked !== undefined && !isSelf
  const Row = canChange ? 'label' : 'div'
  return (
    <li>
      <Row
        className={classes(
          'flex min-h-9 items-center gap-3 rounded px-1 py-1.5',
          canChange && 'cursor-pointer hover:bg-raised',
        )}
      >
        {checked !== undefined && (
          <input
            type="checkbox"
            checked={checked && canChange}
            disabled={!canChange}
            onChange={onCheck}
            aria-label={showJid(nameOfMember(member))}
            className="size-4 shrink-0 accent-accent"
          />
        )}
        <span className="min-w-0 flex-1 break-all">{showJid(nameOfMember(member))}</span>
        {isSelf && <Badge>{t('This number')}</Badge>}
        {member.role !== 'member' && <Badge tone="calm">{ROLE_WORDS[member.role]}</Badge>}
      </Row>
    </li>
  )
}

interface ChangeMembersProps {
  id: string
  jid: string
  people: readonly Member[]
  onChanged: () => void
}

function ChangeMembers({ id, jid, people, onChanged }: ChangeMembersProps) {
  const [isAsked, setIsAsked] = useState(false)
  const queries = useQueryClient()
  const change = useMutation({
    mutationFn: (action: 'remove' | 'promote' | 'demote') =>
      take(
        api.POST('/v1/sessions/{id}/groups/{jid}/members', {
          params: { path: { id, jid } },
          body: { action, members: people.map(nameOfMember) },
        }),
      ),
    onSuccess: async () => {
      onChanged()
      await queries.invalidateQueries({ queryKey: groupQuery(id, jid).queryKey })
    },
  })
  const isIdle = people.length === 0 || change.isPending
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <Button
          small
          disabled={isIdle || people.every(({ role }) => role !== 'member')}
          onClick={() => change.mutate('promote')}
        >
          {t('Make admin')}
        </Button>
        <Button
          small
          disabled={isIdle || people.every(({ role }) => role === 'member')}
          onClick={() => change.mutate('demote')}
        >
          {t('Remove as admin')}
        </Button>
        <Button small look="quiet-danger" disabled={isIdle} onClick={() => setIsAsked(true)}>
          {t('Remove')}
        </Button>
      </div>
      {people.length === 0 && <p className="text-[13px] text-muted">{t('Choose members to change them.')}</p>}
      {change.error && change.variables !== 'remove' && <FormError>{errorText(change.error)}</FormError>}
      <div aria-live="polite" className="text-[13px]">
        {change.data && change.variables && <MemberOutcomes action={change.variables} outcomes={change.data.data} />}
      </div>
      {isAsked && (
        <Confirm
          title={t('Remove these members?')}
          action={t('Remove from the group')}
          danger
          onConfirm={() => change.mutateAsync('remove')}
          onClose={() => setIsAsked(false)}
        >
          <p>{people.map(person => showJid(nameOfMember(person))).join(', ')}</p>
        </Confirm>
      )}
    </>
  )
}

/** The link is shown only when the user wants it: it lets anyone in. */
function Invite({ id, jid }: { id: string; jid: string }) {
  const [isAsked, setIsAsked] = useState(false)
  const params = { path: { id, jid } }
  const read = useMutation({
    mutationFn: (renew: boolean) =>
      take(
        renew
          ? api.DELETE('/v1/sessions/{id}/groups/{jid}/invite', { params })
          : api.GET('/v1/sessions/{id}/groups/{jid}/invite', { params }),
      ),
    onError: toast.failed,
  })
  return (
    <section className="space-y-3 border-t pt-5">
      <div>
        <h3 className="font-semibold">{t('Invite link')}</h3>
        <p className="mt-1 text-[13px] text-muted">{t('Everyone who has the link can join the group.')}</p>
      </div>
      {read.data && <CodeBlock label={t('Invite link')} code={read.data.invite} />}
      <div className="flex flex-wrap gap-2">
        {read.data === undefined && (
          <Button small busy={read.isPending} onClick={() => read.mutate(false)}>
            {t('Show the link')}
          </Button>
        )}
        <Button small look="quiet-danger" onClick={() => setIsAsked(true)}>
          {t('Revoke the link')}
        </Button>
      </div>
      {isAsked && (
        <Confirm
          title={t('Revoke the invite link?')}
          action={t('Revoke the link')}
          danger
          onConfirm={() => read.mutateAsync(true)}
          onClose={() => setIsAsked(false)}
        >
          <p>{t('The old link stops working for everyone, and WhatsApp creates a new one. This cannot be undone.')}</p>
        </Confirm>
      )}
    </section>
  )
}

function AddMembers({ id, jid }: { id: string; jid: string }) {
  const queries = useQueryClient()
  const add = useMutation({
    mutationFn: (members: string[]) =>
      take(
        api.POST('/v1/sessions/{id}/groups/{jid}/members', {
          params: { path: { id, jid } },
          body: { action: 'add', members },
        }),
      ),
    onSuccess: () => queries.invalidateQueries({ queryKey: groupQuery(id, jid).queryKey }),
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    add.mutate(peopleIn(String(new FormData(form).get('members'))), { onSuccess: () => form.reset() })
  }
  return (
    <form onSubmit={submit} className="space-y-3 border-t pt-5">
      <TextField
        label={t('Add members')}
        name="members"
        required
        autoComplete="off"
        placeholder="+15551234567"
        hint={t('Numbers with their country codes, or JIDs, separated by commas.')}
        error={add.error ? errorText(add.error) : null}
      />
      <div aria-live="polite">{add.data && <MemberOutcomes action="add" outcomes={add.data.data} />}</div>
      <Button small type="submit" busy={add.isPending}>
        {t('Add to the group')}
      </Button>
    </form>
  )
}

function Leave({ id, group: { jid, subject } }: { id: string; group: Group }) {
  const [isAsked, setIsAsked] = useState(false)
  const queries = useQueryClient()
  const navigate = useNavigate()
  const named = { name: subject || jid }
  const leave = async () => {
    await take(api.POST('/v1/sessions/{id}/groups/{jid}/leave', { params: { path: { id, jid } } }))
    await navigate({ to: '/numbers/$id/groups', params: { id } })
    await queries.invalidateQueries({ queryKey: groupsQuery(id).queryKey })
    toast.done(t('The number has left {name}.', named))
  }
  return (
    <>
      <Button small look="quiet-danger" onClick={() => setIsAsked(true)}>
        {t('Leave the group')}
      </Button>
      {isAsked && (
        <Confirm
          title={t('Leave {name}?', named)}
          action={t('Leave the group')}
          danger
          onConfirm={leave}
          onClose={() => setIsAsked(false)}
        >
          <p>{t('The number no longer receives its messages. Only a member can let it in again.')}</p>
        </Confirm>
      )}
    </>
  )
}
