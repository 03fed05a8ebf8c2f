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
  takeSignInLink,
} from './users.ts'

export const users = {
  reads: {
    findOperator,
    findPortalSession,
    findUserByEmail,
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
