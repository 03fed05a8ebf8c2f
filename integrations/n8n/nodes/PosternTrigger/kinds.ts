import type { INodePropertyOptions } from 'n8n-workflow'

/** What can start a workflow. */
export const KINDS: INodePropertyOptions[] = [
  { name: 'Call', value: 'call', description: 'Somebody calls the number, or stops' },
  {
    name: 'Channel Post',
    value: 'newsletter_message',
    description: 'A channel that the number follows has a new post',
  },
  { name: 'Connection', value: 'connection', description: 'The number is connected, disconnected or logged out' },
  { name: 'Message', value: 'message', description: 'Somebody wrote to the number' },
  { name: 'Poll Vote', value: 'poll_vote', description: 'Somebody voted in a poll' },
  { name: 'Presence', value: 'presence', description: 'A contact is online or not' },
  { name: 'Receipt', value: 'receipt', description: 'A message was delivered, read or played' },
  { name: 'Status', value: 'status', description: 'A message of yours was sent, or failed for good' },
  { name: 'Typing', value: 'typing', description: 'Somebody types or records' },
]
