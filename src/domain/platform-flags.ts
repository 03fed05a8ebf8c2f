/** The platform's names for changes of its protocol that it turns on number by number. */
export const PLATFORM_FLAGS = [
  'noise_pq_mode',
  'pq_keys_upload',
  'pq_1on1_message_enabled',
  'status_e2ee_send_over_status_stanza',
  'web_status_send_via_smax',
] as const
export type PlatformFlag = (typeof PLATFORM_FLAGS)[number]
