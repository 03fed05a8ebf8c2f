import { queryOptions } from '@tanstack/react-query'
import { api, take } from './client.ts'

/** The current Terms, and when the account accepted them. */
export const termsQuery = queryOptions({ queryKey: ['terms'], queryFn: () => take(api.GET('/v1/tos')) })
