import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { ApiError } from './api/client.ts'
import { visitorQuery } from './api/sign-in.ts'
import { createPortalRouter } from './router.tsx'
import { Toasts } from './ui/toast.tsx'

const queries = new QueryClient({
  queryCache: new QueryCache({ onError: leaveWhenSignedOut }),
  defaultOptions: { queries: { retry: retryWhatMayPass, staleTime: 5_000 } },
})
const router = createPortalRouter(queries)

/** The next request notices that a session has ended. The page then clears the data of the former user. */
function leaveWhenSignedOut(error: unknown): void {
  if (!(error instanceof ApiError) || error.status !== 401) return
  queries.setQueryData(visitorQuery.queryKey, null)
  void router.invalidate()
}

function retryWhatMayPass(failures: number, error: unknown): boolean {
  return failures < 2 && error instanceof ApiError && (error.status === 0 || error.status >= 500)
}

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
      <Toasts />
    </QueryClientProvider>
  </StrictMode>,
)
