import { type ComponentProps, type ReactNode, useEffect, useId } from 'react'
import { classes } from './classes.ts'

interface FieldProps {
  label: string
  hint?: ReactNode
  error?: string | null | undefined
  /** For filters: the label is read out but not shown. */
  hideLabel?: boolean
  className?: string
}

interface Wiring {
  id: string
  'aria-describedby': string | undefined
  'aria-invalid': boolean | undefined
}

/** The focus moves to the field that needs a change. */
function useFocusOnError(id: string, error: string | null | undefined): void {
  useEffect(() => {
    if (error) document.getElementById(id)?.focus()
  }, [error, id])
}

function Field({
  label,
  hint,
  error,
  hideLabel,
  className,
  children,
}: FieldProps & { children: (wiring: Wiring) => ReactNode }) {
  const id = useId()
  useFocusOnError(id, error)
  const described = error || hint ? `${id}-hint` : undefined
  return (
    <div className={classes('min-w-0', className)}>
      <label htmlFor={id} className={hideLabel ? 'sr-only' : 'mb-1.5 block font-medium'}>
        {label}
      </label>
      {children({ id, 'aria-describedby': described, 'aria-invalid': error ? true : undefined })}
      {described && (
        <p
          id={described}
          role={error ? 'alert' : undefined}
          className={classes('mt-1.5 text-[13px]', error ? 'text-danger' : 'text-muted')}
        >
          {error || hint}
        </p>
      )}
    </div>
  )
}

export function TextField({ label, hint, error, hideLabel, className, ...rest }: FieldProps & ComponentProps<'input'>) {
  return (
    <Field label={label} hint={hint} error={error} hideLabel={hideLabel} className={className}>
      {wiring => <input type="text" {...wiring} {...rest} className="input" />}
    </Field>
  )
}

export function TextArea({
  label,
  hint,
  error,
  hideLabel,
  className,
  ...rest
}: FieldProps & ComponentProps<'textarea'>) {
  return (
    <Field label={label} hint={hint} error={error} hideLabel={hideLabel} className={className}>
      {wiring => <textarea rows={3} {...wiring} {...rest} className="input h-auto py-2" />}
    </Field>
  )
}

export interface Choice {
  value: string
  label: string
}

type SelectFieldProps = FieldProps & ComponentProps<'select'> & { choices: readonly Choice[] }

export function SelectField({ label, hint, error, hideLabel, className, choices, ...rest }: SelectFieldProps) {
  return (
    <Field label={label} hint={hint} error={error} hideLabel={hideLabel} className={className}>
      {wiring => (
        <select {...wiring} {...rest} className="input pr-2">
          {choices.map(choice => (
            <option key={choice.value} value={choice.value}>
              {choice.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

export function CheckField({ label, hint, ...rest }: { label: string; hint?: string } & ComponentProps<'input'>) {
  return (
    <label className="flex items-start gap-2.5 py-1">
      <input type="checkbox" {...rest} className="mt-0.5 size-4 accent-accent" />
      <span>
        <span className="block font-medium">{label}</span>
        {hint && <span className="block text-[13px] text-muted">{hint}</span>}
      </span>
    </label>
  )
}

interface SwitchProps {
  label: string
  checked: boolean
  onChange: (checked: boolean) => void
  disabled?: boolean
  hint?: ReactNode
  error?: string | null
}

export function Switch({ label, checked, onChange, disabled, hint, error }: SwitchProps) {
  const id = useId()
  useFocusOnError(id, error)
  const described = error || hint ? `${id}-hint` : undefined
  return (
    <div className="flex items-center justify-between gap-4">
      <span className="min-w-0">
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        {described && (
          <span id={described} className="block text-[13px] text-muted">
            {error && (
              <span role="alert" className="block text-danger">
                {error}
              </span>
            )}
            {hint}
          </span>
        )}
      </span>
      <button
        id={id}
        type="button"
        role="switch"
        aria-checked={checked}
        aria-describedby={described}
        disabled={disabled}
        onClick={() => onChange(!checked)}
        className={classes(
          'relative h-5 w-9 shrink-0 rounded-full border transition-colors disabled:opacity-50',
          checked ? 'border-accent bg-accent' : 'border-line-strong bg-raised',
        )}
      >
        <span
          className={classes(
            'absolute top-0.5 size-3.5 rounded-full transition-[left]',
            checked ? 'left-[18px] bg-on-accent' : 'left-0.5 bg-muted',
          )}
        />
      </button>
    </div>
  )
}
