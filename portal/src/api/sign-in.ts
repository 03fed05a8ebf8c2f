import { queryOptions } from '@tanstack/react-query'
import { ApiError, call } from './client.ts'
import type { Plan } from './records.ts'

/** Who is signed in, and to which account. */
export interface Visitor {
  user: { id: string; email: string; is_operator: boolean; has_password: boolean }
  account: { id: string; name: string; plan: Plan; tos_accepted: boolean }
  sandbox: boolean
  signup: 'open' | 'closed'
  version: string
}

export interface SignInOptions {
  signup: 'open' | 'closed'
  version: string
}

/** `null` when nobody is signed in. */
export const visitorQuery = queryOptions({
  queryKey: ['visitor'],
  queryFn: () => call<Visitor>('GET', '/session').catch(nobodyWhen401),
  staleTime: 60_000,
})

export const signInOptionsQuery = queryOptions({
  queryKey: ['sign-in-options'],
  queryFn: () => call<SignInOptions>('GET', '/sign-in-options'),
  staleTime: Number.POSITIVE_INFINITY,
})

function nobodyWhen401(error: unknown): null {
  if (error instanceof ApiError && error.status === 401) return null
  throw error
}

export const signIn = (email: string, password: string) => call('POST', '/sign-in', { email, password })
export const signInByLink = (token: string) => call('POST', '/sign-in/link', { token })
export const signUp = (name: string, email: string, password: string) =>
  call('POST', '/sign-up', { name, email, password })
export const signOut = () => call('POST', '/sign-out', {})
export const signOutEverywhere = () => call('POST', '/sign-out-everywhere', {})
export const changePassword = (body: { current_password?: string; new_password: string }) =>
  call('POST', '/password', body)
export const changeEmail = (body: { email: string; password?: string }) => call('POST', '/email', body)
