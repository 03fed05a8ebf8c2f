import { useMutation, useQueryClient } from '@tanstack/react-query'
import { sessionsQuery } from '../api/sessions.ts'
import { toast } from '../ui/toast.tsx'
import { t } from '../t.ts'

/** Changes a setting of a number. */
export function useSave<T>(change: (value: T) => Promise<unknown>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: sessionsQuery.queryKey })
      toast.done(t('Saved.'))
    },
    onError: toast.failed,
  })
}
