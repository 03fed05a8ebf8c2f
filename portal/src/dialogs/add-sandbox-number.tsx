import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { api, take } from '../api/client.ts'
import { sessionsQuery } from '../api/sessions.ts'
import { type FormErrors, formErrors } from '../form-errors.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { FormError } from '../ui/form-error.tsx'
import { toast } from '../ui/toast.tsx'
import { t } from '../t.ts'
import { showPhone } from '../phone-number.ts'

/** Creates a number that needs no phone. */
export function AddSandboxNumber({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient()
  const add = useMutation({
    mutationFn: (form: FormData) => {
      const phone = String(form.get('phone')).replace(/[^\d]/g, '')
      const label = String(form.get('label')).trim()
      return take(
        api.POST('/v1/sessions', { body: { platform: 'sandbox', ...(phone && { phone }), ...(label && { label }) } }),
      )
    },
    onSuccess: async session => {
      await queries.invalidateQueries({ queryKey: sessionsQuery.queryKey })
      await queries.invalidateQueries({ queryKey: ['stats'] })
      toast.done(t('{name} is connected.', { name: showPhone(session.phone) }))
      onClose()
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    add.mutate(new FormData(event.currentTarget))
  }
  return (
    <Dialog title={t('Add a sandbox number')} onClose={onClose}>
      <form onSubmit={submit} className="space-y-4">
        <p className="leading-relaxed text-muted">
          {t(
            'It behaves like a linked phone and uses the same protocol, but nothing leaves this machine. It does not count against your plan.',
          )}
        </p>
        <Fields errors={formErrors(add.error, ['phone', 'label'])} />
        <div className="flex flex-wrap items-center justify-end gap-2">
          <Link
            to="/link"
            search={{ platform: 'sandbox' }}
            className="mr-auto text-[13px] text-accent max-sm:basis-full underline underline-offset-2"
          >
            {t('Pair it by QR instead')}
          </Link>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button look="primary" type="submit" busy={add.isPending}>
            {add.isPending ? t('Connecting') : t('Add the number')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function Fields({ errors }: { errors: FormErrors }) {
  return (
    <>
      <TextField
        label={t('Label')}
        name="label"
        maxLength={100}
        placeholder={t('Support')}
        autoFocus
        error={errors.of('label')}
      />
      <TextField
        label={t('Number')}
        name="phone"
        inputMode="tel"
        placeholder={t('Picked for you')}
        error={errors.of('phone')}
        hint={t('Optional. Digits beginning with 999.')}
      />
      {errors.rest && <FormError>{errors.rest}</FormError>}
    </>
  )
}
