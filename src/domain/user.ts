/** One @ with something on both sides: whether mail arrives there, only mail can tell. */
export const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,190}$/
/** One writing for each address: who types it otherwise means the same. */
export const normalEmail = (email: string): string => email.trim().toLowerCase()
export const PASSWORD_LENGTH = { min: 10, max: 200 }
