import { useQueryClient } from '@tanstack/react-query'
import { api, take } from '../api/client.ts'
import type { SandboxAction, SandboxIncoming } from '../api/records.ts'
import { toast } from '../ui/toast.tsx'
import { contactName, parseKey } from './chats.ts'

export type Writing = Omit<SandboxIncoming, 'from' | 'from_name' | 'group'>
export type Acting = Omit<SandboxAction, 'from' | 'group'>

/** The actions of this phone. Each returns whether it succeeded, and shows its error otherwise. */
export function useSandbox(sessionId: string, chatKey: string) {
  const queries = useQueryClient()
  const { contact, group } = parseKey(chatKey)
  const path = { id: sessionId }
  const who = { from: contact, ...(group !== undefined && { group }) }
  const attempt = async <T>(deed: Promise<T>): Promise<T | null> => {
    try {
      const answer = await deed
      await Promise.all([
        queries.invalidateQueries({ queryKey: ['held', sessionId] }),
        queries.invalidateQueries({ queryKey: ['conditions', sessionId] }),
      ])
      return answer
    } catch (error) {
      toast.failed(error)
      return null
    }
  }
  return {
    write: (message: Writing) =>
      attempt(
        take(
          api.POST('/sandbox/sessions/{id}/incoming', {
            params: { path },
            body: { ...who, from_name: contactName(contact), ...message },
          }),
        ),
      ),
    act: (action: Acting) =>
      attempt(take(api.POST('/sandbox/sessions/{id}/actions', { params: { path }, body: { ...who, ...action } }))),
  }
}

export type Sandbox = ReturnType<typeof useSandbox>
