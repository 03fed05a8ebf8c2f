import { CopyButton } from './copy.tsx'

/** Text to copy, shown as it is. */
export function CodeBlock({ code, label }: { code: string; label: string }) {
  return (
    <figure className="min-w-0 overflow-hidden rounded-lg border bg-raised text-left">
      <figcaption className="flex items-center justify-between gap-3 border-b py-1 pr-1 pl-3 text-[13px] text-muted">
        <span className="truncate">{label}</span>
        <CopyButton text={code} />
      </figcaption>
      <pre
        tabIndex={0}
        aria-label={label}
        className="max-h-96 overflow-auto px-3 py-2.5 font-mono text-[12px] leading-relaxed text-ink"
      >
        {code}
      </pre>
    </figure>
  )
}

/** A value that is shown this once: with a warning, and a copy button. */
export function Secret({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <div className="flex items-center gap-2 rounded-lg border border-accent/50 bg-accent-soft p-2 pl-3">
        <code className="min-w-0 flex-1 font-mono text-[13px] break-all" data-secret>
          {value}
        </code>
        <CopyButton text={value} label={`Copy ${name}`} />
      </div>
      <p className="mt-2 text-[13px] text-muted">
        This is the only time that it is shown. Keep it where your server reads its secrets, never in source code.
      </p>
    </div>
  )
}
