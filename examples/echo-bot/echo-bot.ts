import { PosternClient } from '@postern/sdk'

// Reads POSTERN_URL and POSTERN_API_KEY.
const postern = new PosternClient()

const onOpen = () => console.log('Listening. Write to your number.')
for await (const { kind, payload } of postern.listen({ onOpen })) {
  if (kind !== 'message' || payload.type !== 'text' || payload.is_group || payload.broadcast) continue

  await postern.send(
    {
      session_id: payload.session_id,
      to: payload.chat_jid,
      text: payload.text,
      quoted_message_id: payload.message_id,
    },
    // The same event may come twice. The same key never sends twice.
    { idempotencyKey: `echo-${payload.message_id}` },
  )
  console.log(`Answered ${payload.message_id}`)
}
