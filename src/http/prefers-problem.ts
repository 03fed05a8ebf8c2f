export const PROBLEM_TYPE = 'application/problem+json'
const PLAIN_TYPE = 'application/json'

/** Browsers send some 150 characters; parsing as many commas as fit into a header would take milliseconds. */
const MAX_ACCEPT_LENGTH = 1_024
const MAX_RANGES = 64

/**
 * Whether a client wants errors as RFC 9457 problems. It must name that type: a client that accepts anything may compare
 * the plain body. If it names both, the larger weight decides, and a tie goes to the problem. A header beyond the
 * bounds gets the plain body.
 */
export function prefersProblem(accept: string | undefined): boolean {
  if (accept === undefined || accept.length > MAX_ACCEPT_LENGTH || !/problem\+json/i.test(accept)) return false
  const weights = weightsOf(accept)
  const problem = weights.get(PROBLEM_TYPE) ?? 0
  const plain = weights.get(PLAIN_TYPE) ?? weights.get('application/*') ?? weights.get('*/*') ?? 0
  return problem > 0 && problem >= plain
}

/** Media ranges with their weights; a range whose weight is not valid is left out. */
function weightsOf(accept: string): Map<string, number> {
  const weights = new Map<string, number>()
  const ranges = splitOutsideQuotes(accept, ',')
  if (ranges.length > MAX_RANGES) return weights
  for (const range of ranges) {
    const [type, ...parameters] = splitOutsideQuotes(range, ';').map(part => part.trim().toLowerCase())
    const weight = parameters.find(parameter => /^q\s*=/.test(parameter))?.replace(/^q\s*=\s*/, '') ?? '1'
    if (/^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(weight)) weights.set(type!, Number(weight))
  }
  return weights
}

/** A quoted value of a parameter may contain either separator. */
function splitOutsideQuotes(text: string, separator: string): string[] {
  const parts: string[] = []
  let [start, isQuoted] = [0, false]
  for (let at = 0; at < text.length; at++) {
    if (isQuoted && text[at] === '\\') at++
    else if (text[at] === '"') isQuoted = !isQuoted
    else if (!isQuoted && text[at] === separator) {
      parts.push(text.slice(start, at))
      start = at + 1
    }
  }
  return [...parts, text.slice(start)]
}
