import { queryOptions } from '@tanstack/react-query'
import { ApiError, api, take } from './client.ts'

/** `null` without a session. */
export const visitorQuery = queryOptions({
  queryKey: ['visitor'],
  queryFn: () => take(api.GET('/session')).catch(nullOn401),
  staleTime: 60_000,
})

export const signInOptionsQuery = queryOptions({
  queryKey: ['sign-in-options'],
  queryFn: () => take(api.GET('/sign-in-options')),
  staleTime: Number.POSITIVE_INFINITY,
})

function nullOn401(error: unknown): null {
  if (error instanceof ApiError && error.status === 401) return null
  throw error
}

export const signIn = (email: string, password: string) => take(api.POST('/sign-in', { body: { email, password } }))
export const signInByLink = (token: string) => take(api.POST('/sign-in/link', { body: { token } }))
export const signUp = (name: string, email: string, password: string) =>
  take(api.POST('/sign-up', { body: { name, email, password } }))
export const signOut = () => take(api.POST('/sign-out', { body: {} }))
export const signOutEverywhere = () => take(api.POST('/sign-out-everywhere', { body: {} }))
export const changePassword = (body: { current_password?: string; new_password: string }) =>
  take(api.POST('/password', { body }))
export const changeEmail = (body: { email: string; password?: string }) => take(api.POST('/email', { body }))
