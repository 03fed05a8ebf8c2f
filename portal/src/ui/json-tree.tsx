import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { t } from '../t.ts'

const REDACTED = /^\[redacted: (\d+) bytes\]$/

interface NodeProps {
  name: string | null
  value: unknown
  depth: number
}

/** A JSON value as a tree that folds. Every value is shown as text only. */
export function JsonTree({ value, label }: { value: unknown; label: string }) {
  return (
    <div
      aria-label={label}
      role="group"
      tabIndex={0}
      className="overflow-x-auto rounded-lg border bg-raised px-3 py-2.5 font-mono text-[12px] leading-6"
    >
      <Node name={null} value={value} depth={0} />
    </div>
  )
}

function Node({ name, value, depth }: NodeProps) {
  if (value !== null && typeof value === 'object') return <Branch name={name} value={value} depth={depth} />
  return (
    <div className="pl-4 whitespace-pre-wrap">
      <Name name={name} />
      <Leaf value={value} />
    </div>
  )
}

function Branch({ name, value, depth }: NodeProps & { value: object }) {
  const [open, setOpen] = useState(depth < 2)
  const entries = Object.entries(value)
  const [left, right] = Array.isArray(value) ? '[]' : '{}'
  return (
    <div>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="-ml-0.5 inline-flex items-center rounded whitespace-pre hover:bg-surface"
      >
        <ChevronRight size={14} aria-hidden className={open ? 'rotate-90' : ''} />
        <Name name={name} />
        <span className="text-muted">{open ? left : `${left} ${entries.length} ${right}`}</span>
      </button>
      {open && (
        <div className="pl-4">
          {entries.map(([key, child]) => (
            <Node key={key} name={Array.isArray(value) ? null : key} value={child} depth={depth + 1} />
          ))}
        </div>
      )}
      {open && <div className="pl-4 text-muted">{right}</div>}
    </div>
  )
}

function Name({ name }: { name: string | null }) {
  return name === null ? null : (
    <>
      <span className="text-accent-strong">{name}</span>
      <span className="text-muted">: </span>
    </>
  )
}

function Leaf({ value }: { value: unknown }) {
  const bytes = typeof value === 'string' ? REDACTED.exec(value)?.[1] : undefined
  if (bytes !== undefined) {
    return (
      <span
        className="rounded bg-waiting-soft px-1 text-waiting"
        title={t('Content is not kept in the history. Your endpoint received it in full.')}
      >
        {t('redacted, {bytes} bytes', { bytes })}
      </span>
    )
  }
  if (typeof value === 'string') return <span className="break-all text-calm">{JSON.stringify(value)}</span>
  return <span className="text-waiting">{String(value)}</span>
}
