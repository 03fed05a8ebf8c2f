export interface BridgeSettings {
  /** Of Chatwoot, without a slash at its end. */
  origin: string
  token: string
  account: number
  inbox: number
  dataDir: string
  host: string
  port: number
  /** Where Chatwoot reaches the bridge; `null`: where the bridge listens. */
  publicUrl: string | null
  /** Where the gateway reaches the bridge; `null`: where Chatwoot does. */
  filesUrl: string | null
  /** The hosts from which the bridge fetches files. */
  fileHosts: ReadonlySet<string>
  timeoutMs: number
  /** How long Chatwoot may continue to work on a request after the timeout. */
  graceMs: number
  groups: boolean
  setWebhook: boolean
  /** The bridge retries abandoned jobs. */
  retry: boolean
  /** Begins every Idempotency-Key, and differs for each inbox. */
  keyPrefix: string
}
