/**
 * The associated data of each seal: sealed bytes open only in the place that they were made for, so that they cannot be
 * moved from one row to another.
 */
export const ABOUT_KEY_CHECK = 'key-check'
export const aboutWebhook = (id: string): string => `webhook:${id}`
export const aboutEndpoint = (id: string): string => `endpoint:${id}`
export const aboutHeaders = (endpointId: string): string => `endpoint:${endpointId}:headers`
export const aboutMessage = (id: string): string => `message:${id}`
export const aboutCommand = (id: string): string => `command:${id}`
export const aboutRequest = (id: string): string => `request:${id}`
export const aboutAnswer = (id: string): string => `answer:${id}`
export const aboutEvent = (id: string): string => `event:${id}`
/** The fields of an event that only some endpoints get. */
export const aboutExtras = (eventId: string): string => `event:${eventId}:extras`
/** The secret that signs the events of the account's listeners. */
export const aboutListening = (accountId: string): string => `listening:${accountId}`
export const aboutPairing = (id: string): string => `pairing:${id}`
/** The proxy that a pairing uses, and its number afterwards. */
export const aboutPairingProxy = (id: string): string => `pairing:${id}:proxy`
export const aboutSignInLink = (userId: string): string => `sign-in-link:${userId}`
export const aboutAutoReject = (sessionId: string): string => `auto-reject:${sessionId}`
export const aboutProxy = (sessionId: string): string => `proxy:${sessionId}`

export const aboutCreds = (sessionId: string): string => `device:${sessionId}:creds`
export const aboutKey = (sessionId: string, category: string, id: string): string =>
  `device:${sessionId}:key:${category}:${id}`
export const aboutInbox = (sessionId: string, key: string): string => `device:${sessionId}:inbox:${key}`
export const aboutSent = (sessionId: string, platformId: string): string => `device:${sessionId}:sent:${platformId}`
export const aboutSeen = (sessionId: string, chatJid: string, messageId: string): string =>
  `device:${sessionId}:seen:${chatJid}:${messageId}`
export const aboutLabel = (sessionId: string, id: string): string => `label:${sessionId}:${id}`

/** The names of a person while an erasure runs, and how far it is. */
export const aboutErasure = (id: string): string => `erasure:${id}`
export const aboutErasurePosition = (id: string): string => `erasure:${id}:position`

export const aboutUpload = (uploadId: string, part: string): string => `upload:${uploadId}:${part}`

export const aboutMedia = (id: string): string => `media:${id}`

export const aboutSimulatorEntry = (key: string): string => `simulator:${key}`
