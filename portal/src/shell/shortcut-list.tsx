import { Dialog } from '../ui/dialog.tsx'
import { SHORTCUTS } from '../ui/shortcuts.ts'
import { t } from '../t.ts'

export function ShortcutList({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={t('Keyboard')} onClose={onClose}>
      <dl className="space-y-2.5">
        {SHORTCUTS.map(({ keys, what }) => (
          <div key={what} className="flex items-center justify-between gap-4">
            <dt>{what}</dt>
            <dd className="flex gap-1">
              {keys.map(key => (
                <kbd
                  key={key}
                  className="rounded border border-line-strong bg-raised px-1.5 py-0.5 font-mono text-[12px]"
                >
                  {key}
                </kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
