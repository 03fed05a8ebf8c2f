import { DropdownMenu } from 'radix-ui'
import type { ComponentProps } from 'react'
import { classes } from '../ui/classes.ts'

/** What a menu of the phone shows when it is open. */
export function MenuContent(props: ComponentProps<typeof DropdownMenu.Content>) {
  return <DropdownMenu.Content {...props} className="z-40 min-w-40 rounded-lg border bg-surface p-1 shadow-lg" />
}

export function MenuItem({ small, ...rest }: ComponentProps<typeof DropdownMenu.Item> & { small?: boolean }) {
  return (
    <DropdownMenu.Item
      {...rest}
      className={classes(
        'flex cursor-pointer items-center rounded text-[13px] outline-none data-[highlighted]:bg-accent-soft',
        small ? 'h-8 px-2' : 'h-9 px-3',
      )}
    />
  )
}
