/** An answer to a query other than a result. */
export class IqError extends Error {
  readonly code: number
  constructor(code: number, text: string) {
    super(text)
    this.code = code
  }
}
