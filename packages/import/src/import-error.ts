/** An error that the user can correct; the message says how. */
export class ImportError extends Error {
  override name = 'ImportError'
}
