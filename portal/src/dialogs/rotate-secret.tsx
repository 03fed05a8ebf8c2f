import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { errorText } from '../error-text.ts'
import { Dialog } from '../ui/dialog.tsx'
import { SelectField } from '../ui/field.tsx'
import { FormActions } from '../ui/form-actions.tsx'
import { ShowSecret } from './show-secret.tsx'
import { t } from '../t.ts'

const OVERLAPS = [
  { value: '86400', label: t('24 hours: both secrets sign') },
  { value: '3600', label: t('1 hour: both secrets sign') },
  { value: '604800', label: t('7 days: both secrets sign') },
  { value: '0', label: t('None: the old secret ends now') },
]

interface RotateSecretProps {
  /** What people call the webhook or endpoint. */
  name: string
  rotate: (overlapSeconds: number) => Promise<{ secret: string }>
  onClose: () => void
}

/** Creates a new secret; during the overlap every POST carries both signatures. */
export function RotateSecret({ name, rotate: newSecret, onClose }: RotateSecretProps) {
  const [overlap, setOverlap] = useState('86400')
  const rotate = useMutation({ mutationFn: () => newSecret(Number(overlap)) })
  if (rotate.data) {
    return <ShowSecret title={t('The new secret')} kind="secret" value={rotate.data.secret} onClose={onClose} />
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    rotate.mutate()
  }
  return (
    <Dialog title={t('Rotate the secret of {name}?', { name })} onClose={onClose}>
      <form onSubmit={submit} className="space-y-4">
        <p className="leading-relaxed">
          {t(
            'From now on the gateway signs with a new secret. With an overlap it signs with both (two v1 values in the header), so you can change your endpoint without losing events.',
          )}
        </p>
        <SelectField
          label={t('Overlap')}
          value={overlap}
          onChange={event => setOverlap(event.target.value)}
          choices={OVERLAPS}
          error={rotate.error ? errorText(rotate.error) : null}
        />
        <FormActions onClose={onClose} cancel={t('Keep the current secret')} busy={rotate.isPending}>
          {t('Rotate')}
        </FormActions>
      </form>
    </Dialog>
  )
}
