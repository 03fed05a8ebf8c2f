import { useSuspenseQuery } from '@tanstack/react-query'
import type { Visitor } from './records.ts'
import { visitorQuery } from './sign-in.ts'

/** Who is signed in. Only for what is shown behind the sign-in; the router has loaded it by then. */
export function useVisitor(): Visitor {
  const { data } = useSuspenseQuery(visitorQuery)
  return data ?? NOBODY
}

const NOBODY: Visitor = {
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
