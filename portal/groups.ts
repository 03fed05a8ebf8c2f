import { join } from 'node:path'
import type { Rolldown } from 'vite'

type Group = Rolldown.CodeSplittingGroup
type Context = Rolldown.ChunkingContext

const sourceOf = (name: string): string => join(import.meta.dirname, 'src', name)

/** The frame of every page. */
const FRAME = sourceOf('app.tsx')
/** What a visit begins with besides: the sign-in, the overview, and the palette, which is fetched ahead. */
const FIRST = ['pages/sign-in.tsx', 'pages/overview.tsx', 'shell/palette.tsx'].map(sourceOf)

/**
 * What pages share comes in few files, not in dozens of small ones, which cost their headers and compress worse. There
 * are three, so that a visit does not begin with what only later pages need. The texts stay apart from them, since they
 * are loaded before anything that has words.
 */
export const GROUPS: Group[] = [
  { name: 'language', test: /src\/(t|language|look-up)\.ts$/, priority: 3 },
  { ...neededBy('app', [FRAME]), priority: 2 },
  { ...neededBy('shared', FIRST), minShareCount: 3, priority: 1 },
  { name: 'later', test: /portal\/src\/(?!main|texts)/, minShareCount: 3 },
]

/** Takes what the roots reach without an `import()`. */
function neededBy(name: string, roots: readonly string[]): Group {
  let reached: Set<string> | undefined
  return { debugName: name, name: (id, context) => ((reached ??= reachedFrom(roots, context)).has(id) ? name : null) }
}

function reachedFrom(roots: readonly string[], context: Context): Set<string> {
  const reached = new Set(roots)
  for (const id of reached) for (const imported of context.getModuleInfo(id)?.importedIds ?? []) reached.add(imported)
  return reached
}
