/** One @ with something on both sides: only a mail can show whether the address works. */
export const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,190}$/
/** Normalizes an address, so that each has one spelling. */
export const normalEmail = (email: string): string => email.trim().toLowerCase()
export const PASSWORD_LENGTH = { min: 10, max: 200 }
