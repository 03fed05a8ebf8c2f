import { describe, expect, it } from 'vitest'
import { StorageUnavailable } from '../platform.ts'
import { failureOfAck, failureOfLibrary, invalidRecipient, transient } from './errors.ts'

/** An error as the library makes them. */
const boom = (message: string, statusCode: number, data?: unknown): Error =>
  Object.assign(new Error(message), { output: { statusCode }, data })
/** The library's error for an error response of the platform. */
const answered = (code: number): Error => boom('item-not-found', 500, code)
const groupError = (code: string) => boom('x', Number(code), { tag: 'error', attrs: { code } })
const channelError = (code: number) => boom('GraphQL server error: x', code, { extensions: { error_code: code } })

describe('what an error on the way to the platform means', () => {
  it.each<[cause: string, error: unknown, kind: string, reason?: string]>([
    // The platform's own word, and nothing else, is final.
    ['the platform knows no such group', answered(404), 'permanent', 'INVALID_RECIPIENT'],
    ['the platform keeps the group from this number', answered(403), 'permanent', 'INVALID_RECIPIENT'],
    ['the platform does not let this number ask for the group', answered(401), 'permanent', 'INVALID_RECIPIENT'],
    ['the answer about a group is an error', groupError('404'), 'permanent', 'INVALID_RECIPIENT'],
    ['the answer about a channel is an error', channelError(404), 'permanent', 'INVALID_RECIPIENT'],
    ['an earlier verdict', invalidRecipient('gone'), 'permanent', 'INVALID_RECIPIENT'],
    ['too much was asked', answered(429), 'transient'],
    ['the platform has trouble', answered(500), 'transient'],
    ['the platform is busy', answered(503), 'transient'],
    ['a channel cannot be asked for now', channelError(503), 'transient'],
    // Ours: our database, our keys.
    ['the database is away', new StorageUnavailable('x', { cause: new Error('ECONNREFUSED') }), 'link_down'],
    ['nothing could be encrypted', boom('All encryptions failed', 500), 'transient'],
    ['a bug of ours', new Error('x'), 'transient'],
    ['a bug of the library', new TypeError('x is undefined'), 'transient'],
    ['nothing at all', undefined, 'transient'],
    ['an earlier doubt', transient('x'), 'transient'],
    // The link, and what stands between.
    [
      'the device was logged out meanwhile',
      boom('Stream Errored (conflict)', 401, { tag: 'conflict', attrs: {} }),
      'link_down',
    ],
    ['the number was banned meanwhile', boom('Connection Failure', 403, { reason: '403' }), 'link_down'],
    [
      'a proxy refuses the link',
      boom('WebSocket Error (Unexpected server response: 403)', 403, new Error('x')),
      'link_down',
    ],
    ['the platform unlinked all devices', boom('Multi-device beta not joined', 411), 'link_down'],
    ['the link was closed', boom('Connection Terminated', 428), 'link_down'],
    ['the link was replaced', boom('Stream Errored (conflict)', 440, { tag: 'conflict', attrs: {} }), 'link_down'],
    ['the platform goes down', boom('Stream Errored (unknown)', 503, { tag: 'stream:error', attrs: {} }), 'link_down'],
    ['the platform wants a new link', boom('Stream Errored (restart required)', 515), 'link_down'],
    ['we ended the link', new Error('Connection Closed'), 'link_down'],
    ['no answer came', boom('Timed Out', 408), 'transient'],
    [
      'no page is there, at a proxy',
      boom('WebSocket Error (Unexpected server response: 404)', 404, new Error('x')),
      'transient',
    ],
  ])('%s', (_, error, kind, reason) => {
    const { failure } = failureOfLibrary(error, 'the group')
    expect([failure.kind, failure.kind === 'permanent' ? failure.reason : undefined]).toEqual([kind, reason])
  })
})

describe('what the platform’s word on a message means', () => {
  it.each<[cause: string, ack: Parameters<typeof failureOfAck>[0], kind: string, reason?: string]>([
    ['no word in time', 'timeout', 'transient'],
    ['the link was lost before', 'lost', 'link_down'],
    ['the recipient does not exist', { ok: false, code: 404 }, 'permanent', 'INVALID_RECIPIENT'],
    ['no new contacts now', { ok: false, code: 463 }, 'permanent', 'SEND_FAILED'],
    ['too many new chats', { ok: false, code: 475 }, 'permanent', 'SEND_FAILED'],
    ['names of two kinds', { ok: false, code: 400 }, 'permanent', 'SEND_FAILED'],
    ['anything else', { ok: false, code: 479 }, 'permanent', 'SEND_FAILED'],
  ])('%s', (_, ack, kind, reason) => {
    const { failure } = failureOfAck(ack)
    expect([failure.kind, failure.kind === 'permanent' ? failure.reason : undefined]).toEqual([kind, reason])
  })
})
