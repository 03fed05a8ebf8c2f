import {
  changeEmail,
  changePassword,
  createPortalSession,
  createSignInLink,
  endPortalSession,
  endPortalSessions,
  findOperator,
  findPortalSession,
  findUserByEmail,
  findUserOfAccount,
  takeSignInLink,
} from './users.ts'
import type { Call } from '../repository.ts'

/** People who sign in to the portal. */
export interface UserRepository {
  changeEmail: Call<typeof changeEmail>
  changePassword: Call<typeof changePassword>
  createPortalSession: Call<typeof createPortalSession>
  createSignInLink: Call<typeof createSignInLink>
  endPortalSession: Call<typeof endPortalSession>
  endPortalSessions: Call<typeof endPortalSessions>
  findOperator: Call<typeof findOperator>
  findPortalSession: Call<typeof findPortalSession>
  findUserByEmail: Call<typeof findUserByEmail>
  findUserOfAccount: Call<typeof findUserOfAccount>
  takeSignInLink: Call<typeof takeSignInLink>
}

export const users = {
  reads: {
    findOperator,
    findPortalSession,
    findUserByEmail,
    findUserOfAccount,
  },
  writes: {
    changeEmail,
    changePassword,
    createPortalSession,
    createSignInLink,
    endPortalSession,
    endPortalSessions,
    takeSignInLink,
  },
  batches: {},
}
