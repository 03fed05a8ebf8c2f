import { classes } from './classes.ts'

/** Why the gateway rejected the form, announced to screen readers at once. */
export function FormError({ children, className }: { children: string; className?: string }) {
  return (
    <p role="alert" className={classes('text-danger', className)}>
      {children}
    </p>
  )
}
