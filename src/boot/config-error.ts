/** A configuration error that the operator must fix; the message names the variable and the cure. */
export class ConfigError extends Error {
  override name = 'ConfigError'
  /** A page that explains the error, if there is one. */
  readonly readOn: string | undefined

  constructor(message: string, { readOn }: { readOn?: string | undefined } = {}) {
    super(message)
    this.readOn = readOn
  }
}
