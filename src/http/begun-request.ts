import type { IncomingMessage } from 'node:http'
import type { SendAnswer } from '../actions/send-message.ts'
import type { ReservedBody } from './limits/body-memory.ts'

/** The body of a request as it was read, or why it could not be read. */
export interface ReadBody {
  rejection: Error | null
  bytes: Buffer
  /** `undefined` if there was no room. */
  reserved: ReservedBody | undefined
}

/** What `RegularSends` did for a request before it left it to the framework, which must not do that again. */
export interface BegunRequest {
  body: ReadBody
  /** Whether the limits of the caller have counted it. */
  isCounted: boolean
  /** What became of the message: returns the answer, or throws. */
  outcome?: () => SendAnswer
}

/** A property of the request: a map entry would cost more. */
const BEGUN = Symbol('begun')
type Marked = IncomingMessage & { [BEGUN]?: BegunRequest }

export const begunOf = (request: IncomingMessage): BegunRequest | undefined => (request as Marked)[BEGUN]

export const markBegun = (request: IncomingMessage, begun: BegunRequest): void => {
  ;(request as Marked)[BEGUN] = begun
}
