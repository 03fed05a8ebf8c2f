import type { FormEvent } from 'react'
import { Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { FormActions } from '../ui/form-actions.tsx'
import type { Sandbox } from './use-sandbox.ts'
import { t } from '../t.ts'

export function SendLocation({ sandbox, onClose }: { sandbox: Sandbox; onClose: () => void }) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    void sandbox.write({
      type: 'location',
      location: {
        latitude: Number(form.get('latitude')),
        longitude: Number(form.get('longitude')),
        name: String(form.get('name')),
      },
    })
    onClose()
  }
  return (
    <Dialog title={t('Send a location')} onClose={onClose}>
      <form onSubmit={submit} className="space-y-4">
        <TextField label={t('Name')} name="name" defaultValue="Brandenburg Gate" />
        <div className="grid grid-cols-2 gap-3">
          <TextField
            label={t('Latitude')}
            name="latitude"
            type="number"
            step="any"
            min={-90}
            max={90}
            required
            defaultValue="52.5163"
          />
          <TextField
            label={t('Longitude')}
            name="longitude"
            type="number"
            step="any"
            min={-180}
            max={180}
            required
            defaultValue="13.3777"
          />
        </div>
        <FormActions onClose={onClose}>{t('Send')}</FormActions>
      </form>
    </Dialog>
  )
}
