import { errorText } from './error-text.ts'

export interface Refusal {
  of: (field: string) => string | null
  /** What is about no field of the form. */
  rest: string | null
}

/**
 * The gateway names the field that it refuses: apart from its words, or as the first of them. Answers the words for that
 * field of a form, and for the form where they are about none of its fields.
 */
export function refusalOf(error: unknown, fields: readonly string[]): Refusal {
  if (!error) return { of: () => null, rest: null }
  const text = errorText(error)
  const about = fieldOf(error, text, fields)
  return { of: field => (field === about ? text : null), rest: about === undefined ? text : null }
}

function fieldOf(error: unknown, text: string, fields: readonly string[]): string | undefined {
  const { param } = error as { param?: unknown }
  const named = typeof param === 'string' ? param : (/^[\w.]+/.exec(text)?.[0] ?? '')
  const parts = named.toLowerCase().split(/\W+/)
  return fields.find(field => parts.includes(field.toLowerCase()))
}
