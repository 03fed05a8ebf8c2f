import type { AuthenticationCreds, WAMessage, WASocket } from 'baileys'

export interface Tapped {
  onCreds(update: Partial<AuthenticationCreds>): void
  /** `requested`: the phone resends it on request. */
  onMessage(message: WAMessage, requested: boolean): void
  onOpen(): void
  onClose(error: unknown): void
}

/**
 * Receives events when they are emitted: the library's own listeners get them merged and delayed, or not at all if the
 * link ends.
 */
export function tap(sock: WASocket, tapped: Tapped): void {
  const emit = sock.ev.emit.bind(sock.ev)
  sock.ev.emit = (event, data) => {
    if (event === 'messages.upsert') {
      const { messages, requestId } = data as { messages: WAMessage[]; requestId?: string }
      for (const message of messages) tapped.onMessage(message, requestId !== undefined)
    }
    const result = emit(event, data)
    if (event === 'creds.update') tapped.onCreds(data as Partial<AuthenticationCreds>)
    if (event === 'connection.update') onUpdate(data as ConnectionUpdate, tapped)
    return result
  }
}

interface ConnectionUpdate {
  connection?: string
  lastDisconnect?: { error?: unknown }
}

function onUpdate(update: ConnectionUpdate, tapped: Tapped): void {
  if (update.connection === 'open') tapped.onOpen()
  if (update.connection === 'close') tapped.onClose(update.lastDisconnect?.error)
}
