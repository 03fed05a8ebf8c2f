import { Agent, type IncomingHttpHeaders, request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { expect } from 'vitest'
import { errorFlaws } from './error-shape.ts'

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  text: string
  // oxlint-disable-next-line typescript/no-explicit-any -- answers are read field by field, as a customer would
  json: any
}

export interface Question {
  key?: string
  /** Sent as JSON, or unchanged if it is a string or bytes. */
  body?: unknown
  headers?: Record<string, string | string[]>
  agent?: Agent
}

/**
 * A gateway ends connections that are idle for a minute, and resets one whose next request arrives in that moment. The
 * agent ends them long before; a request that is under way may take longer.
 */
const shared = new Agent({ keepAlive: true, maxSockets: 256, timeout: 10_000 })

/**
 * A server that has answered may reset the connection while the body is still written. When the last write fails, Node
 * removes its own listener from a kept-alive connection before the connection emits the error.
 */
const ignore = (): void => {}

/** One HTTP request, as a customer without a library would send it. */
export function ask(base: string, method: string, path: string, question: Question = {}): Promise<Answer> {
  const body = encode(question.body)
  return new Promise((resolve, reject) => {
    const request = httpRequest(base + path, {
      method,
      agent: question.agent ?? shared,
      headers: {
        ...(question.key === undefined ? {} : { authorization: `Bearer ${question.key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': body.length }),
        ...question.headers,
      },
    })
    request.on('error', reject)
    request.once('socket', socket => socket.off('error', ignore).on('error', ignore))
    request.once('response', response => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.once('error', reject)
      response.once('end', () => {
        const text = Buffer.concat(chunks).toString()
        resolve({ status: response.statusCode!, headers: response.headers, text, json: parse(text) })
      })
    })
    request.end(body)
  })
}

function encode(body: unknown): Buffer | undefined {
  if (body === undefined) return undefined
  if (body instanceof Uint8Array) return Buffer.from(body)
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Writes bytes to a socket, and returns everything that arrives until the other side closes. */
export function sendBytes(base: string, bytes: Uint8Array | string, waitMs = 5_000): Promise<string> {
  const { hostname, port } = new URL(base)
  return new Promise(resolve => {
    const socket = connect(Number(port), hostname)
    let text = ''
    const timer = setTimeout(() => socket.destroy(), waitMs)
    socket.on('data', chunk => (text += chunk.toString('latin1')))
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(text)
    })
    socket.end(bytes)
  })
}

/** Parses what `sendBytes` returned as one response. */
export function readAnswer(raw: string): Answer {
  const end = raw.indexOf('\r\n\r\n')
  const [line, ...fields] = raw.slice(0, end).split('\r\n')
  const headers = fields.map(field => [
    field.slice(0, field.indexOf(':')).toLowerCase(),
    field.slice(field.indexOf(':') + 1).trim(),
  ])
  const text = raw.slice(end + 4)
  return { status: Number(line!.slice(9, 12)), headers: Object.fromEntries(headers), text, json: parse(text) }
}

/** Requests errors in the form of RFC 9457. */
export const PROBLEM = { accept: 'application/problem+json' } as const

/** Expects an error in the common shape, with this status and, if given, exactly this text. */
export function expectError(answer: Answer, status: number, text?: string | RegExp): void {
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status })
  expect(errorFlaws(answer.json, status, answer.headers), answer.text).toEqual([])
  if (typeof text === 'string') expect(answer.json.error).toBe(text)
  else if (text !== undefined) expect(answer.json.error).toMatch(text)
}
