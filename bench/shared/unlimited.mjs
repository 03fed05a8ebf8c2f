/** The limits of an account that has none. */
export const UNLIMITED = {
  messages_per_second: null,
  messages_per_month: null,
  requests_per_second: null,
  sessions: null,
  sandbox_sessions: null,
  waiting_messages: null,
}
