import type { Attempt } from './records.ts'

/** Groups consecutive attempts with the same result. */
export function foldAttempts(attempts: readonly Attempt[]): Attempt[][] {
  const folded: Attempt[][] = []
  for (const attempt of attempts) {
    const before = folded.at(-1)
    if (before && isSame(before[0]!, attempt)) before.push(attempt)
    else folded.push([attempt])
  }
  return folded
}

const isSame = (a: Attempt, b: Attempt): boolean =>
  a.status === b.status &&
  a.code === b.code &&
  a.error === b.error &&
  a.url === b.url &&
  a.response_excerpt === b.response_excerpt
