import { classes } from '../ui/classes.ts'
import { initialsOf } from './initials.ts'

const TINTS = [
  'bg-accent-soft text-accent-strong',
  'bg-calm-soft text-calm',
  'bg-waiting-soft text-waiting',
  'bg-danger-soft text-danger',
  'bg-raised text-ink',
]

/** The same name has the same colour everywhere; the digits of a number count too. */
function tintOf(name: string): string {
  let sum = 7
  for (let at = 0; at < name.length; at++) sum = (sum * 31 + name.charCodeAt(at)) % 9973
  return TINTS[sum % TINTS.length]!
}

/** The initials of a contact without a picture. */
export function Avatar({ name, small = false }: { name: string; small?: boolean }) {
  return (
    <span
      aria-hidden
      className={classes(
        'grid shrink-0 place-items-center rounded-full font-semibold',
        small ? 'size-8 text-[12px]' : 'size-10',
        tintOf(name),
      )}
    >
      {initialsOf(name)}
    </span>
  )
}
