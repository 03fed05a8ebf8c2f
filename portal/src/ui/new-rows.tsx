import { ArrowUp } from 'lucide-react'
import { t } from '../t.ts'

/** Announces rows that arrived while the user was reading further down. */
export function NewRows({ count, onShow }: { count: number; onShow: () => void }) {
  return (
    <div role="status" className="pointer-events-none sticky top-14 z-10 flex h-0 justify-center rail:top-4">
      {count > 0 && (
        <button
          type="button"
          onClick={onShow}
          className="pointer-events-auto inline-flex h-8 items-center gap-1.5 rounded-full bg-accent px-3.5 text-[13px] font-medium text-on-accent shadow-lg"
        >
          <ArrowUp size={14} aria-hidden />
          {t('{count} new', { count })}
        </button>
      )}
    </div>
  )
}
