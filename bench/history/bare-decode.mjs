import { deflateSync } from 'node:zlib'
import { downloadAndProcessHistorySyncNotification, proto } from 'baileys'
import { answerParent } from '../shared/child.mjs'

/** The baseline: the bare engine inflates and decodes each part of a history as a whole, and keeps nothing. */
async function decode({ parts, chats, messages }) {
  const payload = partOf(chats, messages)
  const baseline = process.memoryUsage.rss()
  let peak = baseline
  const began = performance.now()
  for (let part = 0; part < parts; part++) {
    const history = await downloadAndProcessHistorySyncNotification({ initialHistBootstrapInlinePayload: payload }, {})
    if (history.messages.length !== chats * messages) throw new Error('the history is incomplete')
    peak = Math.max(peak, process.memoryUsage.rss())
  }
  return { ms: performance.now() - began, more: peak - baseline }
}

function partOf(chats, messages) {
  const conversations = Array.from({ length: chats }, (_, chat) => ({
    id: `${chat}@lid`,
    messages: Array.from({ length: messages }, (__, i) => ({
      message: {
        key: { remoteJid: `${chat}@lid`, fromMe: i % 2 === 0, id: `${chat}-${i}-0123456789` },
        message: { conversation: 'x'.repeat(200) },
        messageTimestamp: i,
      },
    })),
  }))
  return deflateSync(proto.HistorySync.encode({ syncType: 3, conversations }).finish())
}

answerParent({ decode })
