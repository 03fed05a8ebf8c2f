import type { ComponentProps } from 'react'
import { TextField } from './field.tsx'

const MIN_LENGTH = 10
const MAX_LENGTH = 200

/** A password that is chosen here, with the gateway's own bounds. */
export function NewPasswordField({
  hint = `At least ${MIN_LENGTH} characters.`,
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
