/** Something the operator has to mend; the message names the variable and the cure. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}
