import { useSuspenseQuery } from '@tanstack/react-query'
import type { Visitor } from './records.ts'
import { visitorQuery } from './sign-in.ts'

/** The signed-in user. Use it only on pages behind the sign-in, where the router has loaded it. */
export function useVisitor(): Visitor {
  const { data } = useSuspenseQuery(visitorQuery)
  return data ?? ANONYMOUS
}

const ANONYMOUS: Visitor = {
  user: { id: '', email: '', is_operator: false, has_password: false },
  account: {
    id: '',
    name: '',
    plan: 'free',
    tos_accepted: false,
    tos_version: null,
    created_at: new Date(0).toISOString(),
    current_tos_version: '',
  },
  mode: 'production',
  sandbox: false,
  signup: 'closed',
  version: '',
}
