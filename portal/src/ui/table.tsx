import { memo, type ReactNode, useCallback, useEffect, useRef } from 'react'
import { classes } from './classes.ts'
import { ROW_PX, useRowsInView } from './use-rows-in-view.ts'

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
  /** The same array on every render, so that rows that have not changed are not drawn again. */
  columns: readonly Column<T>[]
  rowKey: (row: T) => string
  /** The row whose details are open. */
  current?: string | undefined
  onOpen?: (row: T) => void
}

/**
 * Rows of 40 px, of which only those near the window are drawn. The first cell holds the link that opens the row; a
 * click anywhere on the row does the same.
 */
export function Table<T>({ label, rows, columns, rowKey, current, onOpen }: TableProps<T>) {
  const body = useRef<HTMLTableSectionElement>(null)
  const { from, to } = useRowsInView(body, rows.length)
  const latestOpen = useRef(onOpen)
  useEffect(() => {
    latestOpen.current = onOpen
  })
  const open = useCallback((row: T) => latestOpen.current?.(row), [])
  return (
    <div className="card overflow-x-auto">
      <table className="w-full border-collapse text-[13px]" aria-label={label} aria-rowcount={rows.length + 1}>
        <thead>
          <tr className="border-b text-left text-muted" aria-rowindex={1}>
            {columns.map(column => (
              <th key={column.header} scope="col" className={cellClass(column, 'h-9 font-medium')}>
                {column.header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          <Spacer rows={from} />
          {rows.slice(from, to).map((row, index) => {
            const key = rowKey(row)
            return (
              <Row
                key={key}
                index={from + index + 2}
                row={row}
                columns={columns as readonly Column<unknown>[]}
                current={current === key}
                onOpen={onOpen && (open as (row: unknown) => void)}
              />
            )
          })}
          <Spacer rows={rows.length - to} />
        </tbody>
      </table>
    </div>
  )
}

/** Stands for the rows that are not drawn. */
function Spacer({ rows }: { rows: number }) {
  return rows === 0 ? null : (
    <tr aria-hidden>
      <td style={{ height: rows * ROW_PX }} />
    </tr>
  )
}

interface RowProps {
  row: unknown
  index: number
  columns: readonly Column<unknown>[]
  current: boolean
  onOpen: ((row: unknown) => void) | undefined
}

const Row = memo(function Row({ row, index, columns, current, onOpen }: RowProps) {
  return (
    <tr
      aria-rowindex={index}
      aria-current={current ? 'true' : undefined}
      onClick={onOpen && (event => !isControl(event.target) && onOpen(row))}
      className={classes(
        'h-10 border-b last:border-b-0',
        onOpen && 'cursor-pointer',
        current ? 'bg-accent-soft' : onOpen && 'hover:bg-raised',
      )}
    >
      {columns.map(column => (
        <td key={column.header} className={cellClass(column)}>
          {column.cell(row)}
        </td>
      ))}
    </tr>
  )
})

const cellClass = (column: Column<never>, extra?: string): string =>
  classes('px-3 whitespace-nowrap first:pl-4 last:pr-4', extra, column.from && FROM[column.from], column.className)

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
