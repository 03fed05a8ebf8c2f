import type { ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { t } from '../t.ts'

interface ShowSecretProps {
  title: string
  kind: 'key' | 'secret'
  value: string
  /** What the reader confirms by closing it. */
  done?: string
  onClose: () => void
  children?: ReactNode
}

/** A value that is shown once, with a warning and a copy button. */
export function ShowSecret({ title, kind, value, done = t('I have stored it'), onClose, children }: ShowSecretProps) {
  return (
    <Dialog
      title={title}
      onClose={onClose}
      mustAnswer
      footer={
        <Button look="primary" onClick={onClose}>
          {done}
        </Button>
      }
    >
      {children}
      <div className="flex items-center gap-2 rounded-lg border border-accent/50 bg-accent-soft p-2 pl-3">
        <code className="min-w-0 flex-1 font-mono text-[13px] break-all" data-secret>
          {value}
        </code>
        <CopyButton text={value} label={kind === 'key' ? t('Copy key') : t('Copy secret')} />
      </div>
      <p className="mt-2 text-[13px] text-muted">
        {t('It is shown only once. Keep it where your server reads its secrets, never in source code.')}
      </p>
    </Dialog>
  )
}
