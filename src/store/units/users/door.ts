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
