import { errorText } from './error-text.ts'

export interface FormErrors {
  of: (field: string) => string | null
  /** The message if it is about none of the fields. */
  rest: string | null
}

/**
 * The gateway names the field that it rejects, separately or as the first word of its message. Returns the message for that
 * field, or for the whole form if it is about none of its fields.
 */
export function formErrors(error: unknown, fields: readonly string[]): FormErrors {
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
