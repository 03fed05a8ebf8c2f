import { Check } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useRef, useState } from 'react'
import { useFirstNumber } from '../api/use-first-number.ts'
import { type Milestones, useMilestones } from '../api/use-milestones.ts'
import { useVisitor } from '../api/use-visitor.ts'
import { SendMessage } from '../dialogs/send-message.tsx'
import { classes } from '../ui/classes.ts'
import { type Step, type StepDialog, stepsOf } from './onboarding-steps.tsx'
import { t } from '../t.ts'

// The dialogs are loaded when a step is started: users who have completed the list do not need them.
const AddSandboxNumber = lazy(() =>
  import('../dialogs/add-sandbox-number.tsx').then(module => ({ default: module.AddSandboxNumber })),
)
const CreateKey = lazy(() => import('../dialogs/create-key.tsx').then(module => ({ default: module.CreateKey })))

/**
 * The checklist from an empty account to a delivered event, above the rest of the page. It disappears when it is complete.
 * The rest of the page waits until the length of the list is known, so that nothing moves.
 */
export function Onboarding({ children, skeleton }: { children: ReactNode; skeleton: ReactNode }) {
  const { account, sandbox } = useVisitor()
  // A dialog stays open after its step is done, because the user still reads it.
  const [open, setOpen] = useState<StepDialog | null>(null)
  const reached = useLastKnown(useMilestones(account.tos_accepted))
  const first = useFirstNumber()
  const close = () => setOpen(null)
  if (reached === null) return skeleton
  const walked = Object.values(reached).every(Boolean) && open === null
  return (
    <>
      {!walked && <Checklist steps={stepsOf(sandbox, setOpen)} reached={reached} />}
      {children}
      <Suspense fallback={null}>
        {open === 'number' && <AddSandboxNumber onClose={close} />}
        {open === 'key' && <CreateKey onClose={close} />}
      </Suspense>
      {open === 'send' && first && <SendMessage session={first} onClose={close} />}
    </>
  )
}

/** Keeps the last known steps while a query loads for the first time, such as after the Terms. */
function useLastKnown(known: Milestones | null): Milestones | null {
  const last = useRef(known)
  if (known !== null) last.current = known
  return last.current
}

function Checklist({ steps, reached }: { steps: Step[]; reached: Milestones }) {
  const next = steps.findIndex(step => !reached[step.to])
  return (
    <section className="card" aria-labelledby="onboarding">
      <header className="flex items-center justify-between border-b px-5 py-3">
        <h2 id="onboarding" className="font-semibold">
          {t('Get started')}
        </h2>
        <span className="text-[13px] text-muted">
          {t('{count} of {all} done', {
            count: steps.filter(step => reached[step.to]).length,
            all: steps.length,
          })}
        </span>
      </header>
      <ol className="divide-y">
        {steps.map((step, index) => (
          <StepRow key={step.to} step={step} number={index + 1} done={reached[step.to]} next={index === next} />
        ))}
      </ol>
    </section>
  )
}

function StepRow({ step, number, done, next }: { step: Step; number: number; done: boolean; next: boolean }) {
  const look = done
    ? 'border-accent bg-accent text-on-accent'
    : next
      ? 'border-accent text-accent-strong'
      : 'border-line-strong text-muted'
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-5 py-3">
      <span
        aria-hidden
        className={classes(
          'grid size-6 shrink-0 place-items-center rounded-full border text-[12px] font-semibold',
          look,
        )}
      >
        {done ? <Check size={14} /> : number}
      </span>
      <div className="min-w-0 flex-1">
        <p className={classes('font-medium', done && 'text-muted line-through')}>
          {step.title}
          {done && <span className="sr-only"> {t('(done)')}</span>}
        </p>
        {!done && <p className="text-[13px] text-muted">{step.why}</p>}
      </div>
      {next && <div className="flex flex-wrap gap-2 max-sm:basis-full max-sm:pl-10">{step.act}</div>}
    </li>
  )
}
