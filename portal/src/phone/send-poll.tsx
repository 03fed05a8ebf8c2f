import type { FormEvent } from 'react'
import { Dialog } from '../ui/dialog.tsx'
import { TextArea, TextField } from '../ui/field.tsx'
import { FormActions } from '../ui/form-actions.tsx'
import type { Sandbox } from './use-sandbox.ts'
import { t } from '../t.ts'

export function SendPoll({ sandbox, onClose }: { sandbox: Sandbox; onClose: () => void }) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const options = String(form.get('options'))
      .split('\n')
      .map(line => line.trim())
      .filter(line => line !== '')
    void sandbox.write({ type: 'poll', poll: { name: String(form.get('name')), options, selectable_count: 1 } })
    onClose()
  }
  return (
    <Dialog title={t('Send a poll')} onClose={onClose}>
      <form onSubmit={submit} className="space-y-4">
        <TextField label={t('Question')} name="name" required maxLength={255} defaultValue={t('When shall we meet?')} />
        <TextArea
          label={t('Options')}
          name="options"
          required
          rows={4}
          defaultValue={t('Today\nTomorrow')}
          hint={t('One per line, 2 to 12.')}
        />
        <FormActions onClose={onClose}>{t('Send')}</FormActions>
      </form>
    </Dialog>
  )
}
