import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { signOut } from '../api/sign-in.ts'
import { toast } from '../ui/toast.tsx'

/** Ends the session and clears all data that was loaded with it. */
export function useSignOut(end: () => Promise<unknown> = signOut): () => Promise<void> {
  const queries = useQueryClient()
  const router = useRouter()
  return async () => {
    try {
      await end()
      await router.navigate({ to: '/sign-in' })
      queries.clear()
    } catch (error) {
      toast.failed(error)
    }
  }
}
