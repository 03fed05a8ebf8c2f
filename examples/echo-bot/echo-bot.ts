import { PosternClient } from '@postern/sdk'

// Reads POSTERN_URL and POSTERN_API_KEY.
const postern = new PosternClient()

// Two of your own numbers would answer each other forever.
const own = new Set<string | undefined>()
for await (const { jid, phone } of postern.sessions.all()) own.add(jid).add(phone)

const onOpen = () => console.log('Listening. Write to your number.')
for await (const { kind, payload } of postern.listen({ onOpen })) {
  if (kind !== 'message' || payload.type !== 'text' || payload.is_group || payload.broadcast) continue
  const { session_id, chat_jid, message_id, text } = payload
  if (text === '' || own.has(payload.sender_jid) || own.has(payload.sender_phone)) continue

  try {
    await postern.send(
      { session_id, to: chat_jid, text, quoted_message_id: message_id },
      // The same event may come twice. The same key never sends twice.
      { idempotencyKey: `echo/${session_id}/${chat_jid}/${message_id}` },
    )
    console.log(`Answered ${message_id}`)
  } catch (error) {
    console.error(`Could not answer ${message_id}: ${String(error)}`)
  }
}
