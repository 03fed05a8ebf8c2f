import type { ReactNode } from 'react'
import { LoadMore, type More } from './load-more.tsx'
import { NewRows } from './new-rows.tsx'
import { ErrorNote } from './page.tsx'
import { Table, type TableProps, TableSkeleton } from './table.tsx'

/** The rows of a list and their loading state. */
export interface ListSource<T> {
  /** Absent while the first page loads. */
  rows: readonly T[] | undefined
  /** Why they could not be read. */
  error?: unknown
  retry?: () => unknown
  /** Reads the next page; absent if all rows are read at once. */
  more?: More
}

interface ListProps<T> extends Omit<TableProps<T>, 'rows'> {
  source: ListSource<T>
  /** How many rows the skeleton has. */
  expected?: number
  /** Says what would be here, and how to get it. */
  empty: ReactNode
  /** Rows that arrived while the user reads further down. */
  fresh?: { count: number; show: () => void }
}

/** A table with its other states: loading, failed, empty, or with more pages. */
export function List<T>({ source, expected, empty, fresh, ...table }: ListProps<T>) {
  const { rows, error, retry, more } = source
  return (
    <>
      {fresh && <NewRows count={fresh.count} onShow={fresh.show} />}
      {error && rows === undefined ? (
        <ErrorNote error={error} retry={retry} />
      ) : rows === undefined ? (
        <TableSkeleton rows={expected} />
      ) : rows.length === 0 && !more?.hasNextPage ? (
        empty
      ) : (
        <>
          <Table {...table} rows={rows} />
          {more && <LoadMore query={more} />}
        </>
      )}
    </>
  )
}
