/** Why a connection came to its end, and what is to follow. */
export type Ending =
  /** The platform asks to log in again at once: no trouble. */
  | { kind: 'restart'; reason: string }
  /** Trouble that passes. */
  | { kind: 'lost'; reason: string }
  /** Another process has logged in as this device. */
  | { kind: 'replaced'; reason: string }
  /** Trying again changes nothing until the gateway is upgraded or the number is paired again. */
  | { kind: 'refused'; reason: string }
  | { kind: 'logged_out'; reason: string }

const REASONS: Record<number, Ending> = {
  515: { kind: 'restart', reason: 'the platform asked for a new login' },
  440: { kind: 'replaced', reason: 'another process has taken over the connection of this device' },
  401: { kind: 'logged_out', reason: 'the device was unlinked' },
  403: { kind: 'logged_out', reason: 'the platform has banned the number' },
  405: { kind: 'refused', reason: 'the platform no longer accepts this version of the client' },
  411: { kind: 'refused', reason: 'the phone has to update before it can link devices' },
}

/** Reads the library's error; nothing of its text is passed on that could hold data. */
export function endingOf(error: unknown): Ending {
  const { output, data } = (error ?? {}) as { output?: { statusCode?: number }; data?: unknown }
  if (isDeviceRemoved(data)) return { kind: 'logged_out', reason: 'the device was unlinked' }
  const status = output?.statusCode ?? 0
  return REASONS[status] ?? { kind: 'lost', reason: `the connection was lost (${status})` }
}

function isDeviceRemoved(data: unknown): boolean {
  const { tag, attrs } = (data ?? {}) as { tag?: string; attrs?: { type?: string } }
  return tag === 'conflict' && attrs?.type === 'device_removed'
}
