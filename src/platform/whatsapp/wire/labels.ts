/** Types that the platform is known to send. Others are counted as one, because a sender could choose any name. */
const RECEIPTS = ['hist_sync', 'inactive', 'peer_msg', 'played-self', 'read-self', 'retry', 'sender', 'server-error']
const NOTIFICATIONS = [
  'account_sync',
  'business',
  'companion_reg_refresh',
  'contacts',
  'devices',
  'encrypt',
  'link_code_companion_reg',
  'mediaretry',
  'mex',
  'picture',
  'privacy_token',
  'psa',
  'server_sync',
  'status',
  'w:gp2',
]
/** Tags of stanzas that are ignored. */
const TAGS = ['appdata', 'status']
const CALLS = [
  'enc_rekey',
  'flowcontrol',
  'group_update',
  'heartbeat',
  'mute_v2',
  'preaccept',
  'relaylatency',
  'transport',
]

const labelling = (prefix: string, known: readonly string[]) => {
  const labels = new Map(known.map(name => [name, `${prefix}_${name}`]))
  return (name: string): string => labels.get(name) ?? `${prefix}_other`
}

export const receiptLabel = labelling('receipt', RECEIPTS)
export const notificationLabel = labelling('notification', NOTIFICATIONS)
export const callLabel = labelling('call', CALLS)
export const unknownLabel = labelling('unknown', TAGS)
