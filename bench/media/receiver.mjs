import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { answerParent } from '../shared/child.mjs'

/** A customer's server that remembers the ids of received files. */
const ids = new Map()
const waiting = new Map()

const server = createServer((request, response) => {
  void json(request).then(({ message_id: messageId, media }) => {
    if (media?.id !== undefined) {
      ids.set(messageId, media.id)
      waiting.get(messageId)?.(media.id)
    }
    response.end()
  })
})

async function open() {
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${server.address().port}/` }
}

const mediaIdOf = messageId => ids.get(messageId) ?? new Promise(resolve => waiting.set(messageId, resolve))

answerParent({ open, mediaIdOf })
