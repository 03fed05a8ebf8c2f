import type { ComponentProps } from 'react'
import { TextField } from './field.tsx'
import { t } from '../t.ts'

const MIN_LENGTH = 10
const MAX_LENGTH = 200

/** A password that is chosen here, with the gateway's own bounds. */
export function NewPasswordField({
  hint = t('At least {count} characters.', { count: MIN_LENGTH }),
  ...rest
}: ComponentProps<typeof TextField>) {
  return (
    <TextField
      {...rest}
      type="password"
      autoComplete="new-password"
      minLength={MIN_LENGTH}
      maxLength={MAX_LENGTH}
      hint={hint}
    />
  )
}
