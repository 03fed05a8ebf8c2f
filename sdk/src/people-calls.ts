import type { Api, CallOptions } from './api.ts'

/** What the account stores about one person. */
export function peopleCalls(api: Api) {
  return {
    /** Erases all of it. `jid` is a phone number or a JID; follow the job with `erasure`. */
    erase: (jid: string, options: CallOptions = {}) =>
      api.call('post', '/v1/people/erase', { body: { jid }, ...options }),
    /** The state of an erasure, and how many entries it has erased. */
    erasure: (id: string, options: CallOptions = {}) =>
      api.call('get', '/v1/people/erase/{id}', { in: { id }, ...options }),
    /** All of it as a stream: a JSON object in each line. */
    export: (jid: string, options: CallOptions = {}): Promise<ReadableStream<Uint8Array>> =>
      api.downloadFor('/v1/people/export', { body: { jid }, ...options }),
  }
}
