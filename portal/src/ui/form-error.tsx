import { classes } from './classes.ts'

/** Why the gateway did not take it, read out at once. */
export function FormError({ children, className }: { children: string; className?: string }) {
  return (
    <p role="alert" className={classes('text-danger', className)}>
      {children}
    </p>
  )
}
