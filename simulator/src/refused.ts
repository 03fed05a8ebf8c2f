/** The simulator rejects a request; the message says why and is meant for the user. */
export class Refused extends Error {
  override name = 'Refused'
}
