/** One @ with something on both sides: whether mail arrives there, only mail can tell. */
export const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,190}$/
export const PASSWORD_LENGTH = { min: 10, max: 200 }
