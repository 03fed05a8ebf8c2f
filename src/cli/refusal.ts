import { ConfigError } from '../boot/config-error.ts'
import { printable } from './terminal.ts'

/** Commands ask for refusals as RFC 9457 has them: with the cause of this case and where to read on. */
export const ACCEPT = { accept: 'application/json, application/problem+json' } as const

type Body = Record<string, unknown>

/** The words of a refusal: those of a problem, or of the plain body that a proxy or another version may answer. */
export function refusalText({ detail, error }: Body): string | undefined {
  const text = [detail, error].find(each => typeof each === 'string' && each !== '')
  return text === undefined ? undefined : printable(text as string)
}

/** A refusal for people: `beginning` says who answered. */
export function refusedBy(beginning: string, { status, json }: { status: number; json: Body }, cure = ''): ConfigError {
  const text = refusalText(json) ?? 'no JSON'
  return new ConfigError(`${beginning} answered ${status}: ${text}${cure}`, { readOn: pageOf(json) })
}

function pageOf({ type }: Body): string | undefined {
  return typeof type === 'string' && /^https?:\/\/[\x21-\x7e]+$/.test(type) ? type : undefined
}
