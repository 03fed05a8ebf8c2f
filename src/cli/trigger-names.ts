const MESSAGES = ['message', 'image', 'video', 'audio', 'document', 'sticker', 'location', 'poll', 'reaction'] as const
const ACTIONS = ['poll_vote', 'call', 'receipt', 'typing', 'presence', 'newsletter_message', 'drop', 'logout'] as const

/** What the sandbox can be asked to let happen: kinds of events, and contents of messages. */
export const TRIGGERS = [...MESSAGES, ...ACTIONS] as const
export type Trigger = (typeof TRIGGERS)[number]
