import type { MessagePort } from 'node:worker_threads'
import type { NoticeBoard } from './notice-board.ts'
import { Notices } from './notices.ts'
import { ThreadNotices } from './thread-notices.ts'

/** How a store tells of its commits and hears of others. */
export interface NoticeSettings {
  /** The process that the store is opened by, as it is named in leases; one that holds none may be nameless. */
  address?: string
  /** Off: commits of other processes are found by polling alone, and they are told of none. */
  listen?: boolean
  /** Opened by a thread: its process hears and tells. */
  port?: MessagePort
}

/** `url`: where LISTEN works; `null`: nowhere. */
export function openNotices(url: string | null, { address = '', listen = true, port }: NoticeSettings): NoticeBoard {
  const isOn = listen && url !== null
  if (port !== undefined) return new ThreadNotices(port, { address, isOn })
  return new Notices({ url: url ?? '', address, isOn })
}
