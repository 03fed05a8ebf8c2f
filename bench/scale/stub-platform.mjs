import { textEvent } from '../shared/text-event.mjs'

/**
 * A stub platform, to measure the load of nodes on the database: links open immediately, a
 * send is acknowledged after a short delay with its keys updated first, and `receive` lets a text arrive.
 */
export function createStubPlatform() {
  const links = new Map()
  let serial = 0
  const interpret = async item => JSON.parse(Buffer.from(item.body).toString())
  const execute = async (storage, command) => {
    if (command.kind !== 'send') return { kind: 'done' }
    const { platformId, to } = command
    await storage.commit({
      keys: [{ category: 'session', id: to, value: Buffer.alloc(300) }],
      sent: [
        {
          platformId,
          encoded: Buffer.alloc(300),
          seen: { messageId: platformId, chatJid: to, senderJid: '', fromMe: true },
        },
      ],
    })
    return { kind: 'sent', atMs: Date.now(), serverId: null }
  }
  return {
    platform: {
      open(device, storage, callbacks) {
        links.set(device.sessionId, storage)
        setImmediate(() => callbacks.onLink({ state: 'open' }))
        return {
          execute: command => execute(storage, command),
          interpret,
          unlink: async () => {},
          close: async () => void links.delete(device.sessionId),
        }
      },
      readOffline: () => ({ interpret }),
      discard: async () => {},
      pair: (_request, _onStep, signal) =>
        new Promise((_, reject) =>
          signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true }),
        ),
    },
    open: () => links.size,
    /** A text arrives for one of the numbers. */
    receive: async () => {
      const numbers = [...links.keys()]
      const sessionId = numbers[serial++ % numbers.length]
      const jid = '15550001111@s.whatsapp.net'
      const messageId = `IN${process.pid}-${serial}`
      const event = textEvent(sessionId, messageId, 'x'.repeat(300))
      const seen = { messageId, chatJid: jid, senderJid: jid, fromMe: false }
      const body = Buffer.from(JSON.stringify({ kind: 'events', events: [event], remember: [seen] }))
      await links
        .get(sessionId)
        ?.commit({ inbox: [{ kind: 'message', receivedAtMs: Date.now(), body, key: messageId }] })
    },
  }
}
