import type { ReactNode } from 'react'
import { classes } from './classes.ts'

export interface Column<T> {
  header: string
  cell: (row: T) => ReactNode
  /** Left out where the screen is narrower. */
  from?: 'sm' | 'md' | 'lg' | 'xl' | '2xl'
  className?: string
}

const FROM = {
  sm: 'max-sm:hidden',
  md: 'max-md:hidden',
  lg: 'max-lg:hidden',
  xl: 'max-xl:hidden',
  '2xl': 'max-2xl:hidden',
}

interface TableProps<T> {
  label: string
  rows: readonly T[]
  columns: readonly Column<T>[]
  rowKey: (row: T) => string
  /** The row whose details are open. */
  current?: string | undefined
  onOpen?: (row: T) => void
}

/** Rows of 40 px. The first cell holds the link that opens the row; a click anywhere on the row does the same. */
export function Table<T>({ label, rows, columns, rowKey, current, onOpen }: TableProps<T>) {
  return (
    <div className="card overflow-x-auto">
      <table className="w-full border-collapse text-[13px]" aria-label={label}>
        <thead>
          <tr className="border-b text-left text-muted">
            {columns.map(column => (
              <th
                key={column.header}
                scope="col"
                className={classes(
                  'h-9 px-3 font-medium whitespace-nowrap first:pl-4 last:pr-4',
                  column.from && FROM[column.from],
                  column.className,
                )}
              >
                {column.header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(row => (
            <tr
              key={rowKey(row)}
              aria-current={current === rowKey(row) ? 'true' : undefined}
              onClick={onOpen && (event => !isControl(event.target) && onOpen(row))}
              className={classes(
                'list-row h-10 border-b last:border-b-0',
                onOpen && 'cursor-pointer hover:bg-raised',
                current === rowKey(row) && 'bg-accent-soft hover:bg-accent-soft',
              )}
            >
              {columns.map(column => (
                <td
                  key={column.header}
                  className={classes(
                    'px-3 whitespace-nowrap first:pl-4 last:pr-4',
                    column.from && FROM[column.from],
                    column.className,
                  )}
                >
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const isControl = (target: EventTarget): boolean => (target as Element).closest('a, button, input, select') !== null

export function TableSkeleton({ rows = 8 }: { rows?: number }) {
  return (
    <div className="card" aria-hidden>
      <div className="h-9 border-b" />
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} className="flex h-10 items-center gap-4 border-b px-4 last:border-b-0">
          <div className="skeleton h-3 w-24" />
          <div className="skeleton h-3 w-16" />
          <div className="skeleton h-3 flex-1" />
          <div className="skeleton h-3 w-20 max-sm:hidden" />
        </div>
      ))}
    </div>
  )
}
