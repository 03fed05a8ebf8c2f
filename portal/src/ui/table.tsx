import { memo, type ReactNode, useCallback, useEffect, useMemo, useRef } from 'react'
import { classes } from './classes.ts'
import { ROW_PX, useRowsInView } from './use-rows-in-view.ts'

export interface Column<T> {
  header: string
  cell: (row: T) => ReactNode
  /** Left out where the screen is narrower. */
  from?: 'sm' | 'md' | 'lg' | 'xl' | '2xl'
  /** A width class such as `w-28`, or a share such as `flex-2`; an equal share by default. Never depends on the content. */
  width?: string
  className?: string
  /** Whether a row has a value here; the column is hidden if no row has one. */
  has?: (row: T) => boolean
}

const FROM = {
  sm: 'max-sm:hidden',
  md: 'max-md:hidden',
  lg: 'max-lg:hidden',
  xl: 'max-xl:hidden',
  '2xl': 'max-2xl:hidden',
}

export interface TableProps<T> {
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
 * Rows of 40 px, of which only those near the window are drawn. Each is laid out and painted separately, and no width
 * depends on content: a row that comes or goes moves nothing else. The first cell holds the link that opens the row; a
 * click anywhere on the row does the same.
 */
export function Table<T>({ label, rows, columns: all, rowKey, current, onOpen }: TableProps<T>) {
  const columns = useShownColumns(all, rows)
  const body = useRef<HTMLDivElement>(null)
  const { from, to } = useRowsInView(body, rows.length)
  const latestOpen = useRef(onOpen)
  useEffect(() => {
    latestOpen.current = onOpen
  })
  const open = useCallback((row: T) => latestOpen.current?.(row), [])
  return (
    <div role="table" aria-label={label} aria-rowcount={rows.length + 1} className="card overflow-hidden text-[13px]">
      <div role="rowgroup">
        <div role="row" aria-rowindex={1} className="flex h-9 items-center border-b px-2 text-muted">
          {columns.map(column => (
            <div key={column.header} role="columnheader" className={cellClass(column, 'font-medium')}>
              {column.header}
            </div>
          ))}
        </div>
      </div>
      <div role="rowgroup" ref={body}>
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
      </div>
    </div>
  )
}

/** The same array as long as the same columns have something to show. */
function useShownColumns<T>(columns: readonly Column<T>[], rows: readonly T[]): readonly Column<T>[] {
  const shown = columns.map(({ has }) => (has === undefined || rows.some(has) ? '1' : '0')).join('')
  return useMemo(() => columns.filter((_column, index) => shown[index] === '1'), [columns, shown])
}

/** The space of the rows that are not drawn. */
function Spacer({ rows }: { rows: number }) {
  return rows === 0 ? null : <div aria-hidden style={{ height: rows * ROW_PX }} />
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
    <div
      role="row"
      aria-rowindex={index}
      aria-current={current ? 'true' : undefined}
      onClick={onOpen && (event => !isControl(event.target) && onOpen(row))}
      className={classes(
        'table-row-line flex h-[40px] items-center border-b px-2 last:border-b-0',
        onOpen && 'cursor-pointer',
        current ? 'bg-accent-soft' : onOpen && 'hover:bg-raised',
      )}
    >
      {columns.map(column => (
        <div key={column.header} role="cell" className={cellClass(column)}>
          {column.cell(row)}
        </div>
      ))}
    </div>
  )
})

const cellClass = (column: Column<never>, extra?: string): string =>
  classes(
    'min-w-0 truncate px-2',
    column.width?.startsWith('w-') ? 'shrink-0' : 'basis-0',
    column.width ?? 'flex-1',
    extra,
    column.from && FROM[column.from],
    column.className,
  )

const isControl = (target: EventTarget): boolean => (target as Element).closest('a, button, input, select') !== null

export function TableSkeleton({ rows = 8 }: { rows?: number | undefined }) {
  return (
    <div className="card" aria-hidden>
      <div className="h-9 border-b" />
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} className="flex h-[40px] items-center gap-4 border-b px-4 last:border-b-0">
          <div className="skeleton h-3 w-24" />
          <div className="skeleton h-3 w-16" />
          <div className="skeleton h-3 flex-1" />
          <div className="skeleton h-3 w-20 max-sm:hidden" />
        </div>
      ))}
    </div>
  )
}
