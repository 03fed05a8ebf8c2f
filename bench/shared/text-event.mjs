/** An incoming text of about 1 KB as an event. */
export const textEvent = (sessionId, messageId, text = 'x'.repeat(720)) => ({
  kind: 'message',
  message_id: messageId,
  session_id: sessionId,
  sender_jid: '15550001111@s.whatsapp.net',
  sender_name: 'Ada',
  chat_jid: '15550001111@s.whatsapp.net',
  is_group: false,
  broadcast: false,
  type: 'text',
  text,
  timestamp_unix: Math.floor(Date.now() / 1000),
})
