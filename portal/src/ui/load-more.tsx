import { useEffect, useRef } from 'react'
import { Button } from './button.tsx'
import { t } from '../t.ts'

/** The loading state of the next page. */
export interface More {
  hasNextPage: boolean
  isFetchingNextPage: boolean
  isFetchNextPageError: boolean
  fetchNextPage: () => unknown
}

/** Reads the next page when its end comes into view; the button is there for the keyboard and for after an error. */
export function LoadMore({ query }: { query: More }) {
  const ref = useRef<HTMLDivElement>(null)
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query
  useEffect(() => {
    const end = ref.current
    if (end === null || !hasNextPage || isFetchingNextPage || isFetchNextPageError) return
    const watch = new IntersectionObserver(([entry]) => entry?.isIntersecting && fetchNextPage(), {
      rootMargin: '600px',
    })
    watch.observe(end)
    return () => watch.disconnect()
  }, [hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage])
  if (!hasNextPage) return null
  return (
    <div ref={ref} className="flex justify-center py-4">
      <Button small busy={isFetchingNextPage} onClick={() => fetchNextPage()}>
        {isFetchingNextPage ? t('Loading more') : isFetchNextPageError ? t('Try again') : t('Show more')}
      </Button>
    </div>
  )
}
