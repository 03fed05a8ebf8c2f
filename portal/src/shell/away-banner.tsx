import { CloudOff } from 'lucide-react'
import { retryLive } from '../api/live.ts'
import { useIsUnreachable } from '../api/reach.ts'
import { Button } from '../ui/button.tsx'
import { t } from '../t.ts'

/** The gateway is unreachable: the page stays, with a note that it may be out of date. */
export function AwayBanner() {
  if (!useIsUnreachable()) return null
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b bg-waiting-soft px-4 py-2 text-waiting sm:px-8"
    >
      <CloudOff size={16} aria-hidden className="shrink-0" />
      <p className="min-w-0 flex-1">
        {t('The gateway cannot be reached. What is shown may be old; the page reconnects automatically.')}
      </p>
      <Button small onClick={retryLive}>
        {t('Try again now')}
      </Button>
    </div>
  )
}
