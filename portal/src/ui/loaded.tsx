import type { ReactNode } from 'react'
import { ErrorNote } from './page.tsx'

interface LoadedProps<T> {
  query: { data: T | undefined; error: unknown; refetch: () => unknown }
  /** In the shape of the content. */
  skeleton: ReactNode
  children: (data: T) => ReactNode
}

/** A record: its skeleton, then its content. If a refetch fails, the old content stays below the error. */
export function Loaded<T>({ query: { data, error, refetch }, skeleton, children }: LoadedProps<T>) {
  return (
    <>
      {error ? <ErrorNote error={error} retry={refetch} /> : null}
      {data === undefined ? !error && skeleton : children(data)}
    </>
  )
}
