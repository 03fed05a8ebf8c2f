import type { ReactNode } from 'react'
import { ErrorNote } from './page.tsx'

interface LoadedProps<T> {
  query: { data: T | undefined; error: unknown; refetch: () => unknown }
  /** In the shape of what comes. */
  skeleton: ReactNode
  children: (data: T) => ReactNode
}

/** One thing that is read: its skeleton, then itself. What could not be read again stays, below the reason. */
export function Loaded<T>({ query: { data, error, refetch }, skeleton, children }: LoadedProps<T>) {
  return (
    <>
      {error ? <ErrorNote error={error} retry={refetch} /> : null}
      {data === undefined ? !error && skeleton : children(data)}
    </>
  )
}
