import { Session } from 'node:inspector'

/**
 * Frees the garbage of this thread. V8 alone keeps that of a start or of many logins until the thread has made as much
 * again, which an idle one never does.
 */
export function collectGarbage(): void {
  const session = new Session()
  session.connect()
  session.post('HeapProfiler.collectGarbage')
  session.disconnect()
}
