/** An error that the user can correct; the message says how. */
export class BridgeError extends Error {
  override name = 'BridgeError'
  /** A page that explains the error, if there is one. */
  readonly readOn: string | undefined

  constructor(message: string, { readOn }: { readOn?: string | undefined } = {}) {
    super(message)
    this.readOn = readOn
  }
}
