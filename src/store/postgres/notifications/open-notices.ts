import type { MessagePort } from 'node:worker_threads'
import type { NotificationHub } from './notice-board.ts'
import { Notifications } from './notices.ts'
import { ThreadNotifications } from './thread-notices.ts'

/** How a store tells of its commits and hears of others. */
export interface NotificationSettings {
  /** The process that the store is opened by, as it is named in leases; one that holds none may be nameless. */
  address?: string
  /** Off: commits of other processes are found by polling alone, and they are told of none. */
  listen?: boolean
  /** Opened by a thread: its process hears and tells. */
  port?: MessagePort
}

/** `url`: where LISTEN works; `null`: nowhere. */
export function openNotifications(
  url: string | null,
  { address = '', listen = true, port }: NotificationSettings,
): NotificationHub {
  const isOn = listen && url !== null
  if (port !== undefined) return new ThreadNotifications(port, { address, isOn })
  return new Notifications({ url: url ?? '', address, isOn })
}
