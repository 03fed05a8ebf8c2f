import type { INodePropertyOptions } from 'n8n-workflow'

/** The events that can start a workflow. */
export const KINDS: INodePropertyOptions[] = [
  { name: 'Call', value: 'call', description: 'A contact calls the number, or ends the call' },
  {
    name: 'Channel Post',
    value: 'newsletter_message',
    description: 'A channel that the number follows has a new post',
  },
  { name: 'Connection', value: 'connection', description: 'The number is connected, disconnected or logged out' },
  { name: 'Message', value: 'message', description: 'A contact wrote to the number' },
  { name: 'Poll Vote', value: 'poll_vote', description: 'A contact voted in a poll' },
  { name: 'Presence', value: 'presence', description: 'A contact is online or not' },
  { name: 'Receipt', value: 'receipt', description: 'A message was delivered, read or played' },
  { name: 'Status', value: 'status', description: 'A message of yours was sent, or failed for good' },
  { name: 'Typing', value: 'typing', description: 'A contact types or records' },
]
