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
