import { createAccount, getAccount, listAccounts, updateAccount } from './accounts.ts'
import type { Call } from '../repository.ts'

/** Customers and the plan each of them has. */
export interface AccountRepository {
  createAccount: Call<typeof createAccount>
  getAccount: Call<typeof getAccount>
  listAccounts: Call<typeof listAccounts>
  updateAccount: Call<typeof updateAccount>
}

export const accounts = {
  reads: {
    getAccount,
    listAccounts,
  },
  writes: {
    createAccount,
    updateAccount,
  },
  batches: {},
}
