import type { InfiniteData } from '@tanstack/react-query'

export interface Page<T> {
  data: T[]
  next_cursor: string | null
}
export type Pages<T> = InfiniteData<Page<T>, unknown>

/** How the next page of every list of the API is read. */
export const paging = {
  initialPageParam: undefined as string | undefined,
  getNextPageParam: (page: Page<unknown>) => page.next_cursor ?? undefined,
  // Comparing every row of every page each time one more comes costs more than drawing a few rows again.
  structuralSharing: false,
}

export const rowsOf = <T>(pages: Pages<T> | undefined): T[] => pages?.pages.flatMap(page => page.data) ?? []

/** Reads a list to its end; for lists that a plan keeps short. */
export async function readAll<T>(read: (cursor: string | undefined) => Promise<Page<T>>): Promise<T[]> {
  const rows: T[] = []
  let cursor: string | undefined
  do {
    const page = await read(cursor)
    rows.push(...page.data)
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined && rows.length < 2_000)
  return rows
}

/** Whether the row is in the pages already. */
export const holds = <T extends { id: string }>(pages: Pages<T> | undefined, id: string): boolean =>
  pages?.pages.some(page => page.data.some(row => row.id === id)) ?? false

export function replaceRow<T extends { id: string }>(pages: Pages<T> | undefined, row: T): Pages<T> | undefined {
  if (pages === undefined) return undefined
  return {
    ...pages,
    pages: pages.pages.map(page => ({ ...page, data: page.data.map(old => (old.id === row.id ? row : old)) })),
  }
}

export function putOnTop<T extends { id: string }>(pages: Pages<T> | undefined, rows: T[]): Pages<T> | undefined {
  const first = pages?.pages[0]
  if (pages === undefined || first === undefined) return pages
  const fresh = rows.filter(row => !holds(pages, row.id))
  return { ...pages, pages: [{ ...first, data: [...fresh, ...first.data] }, ...pages.pages.slice(1)] }
}
