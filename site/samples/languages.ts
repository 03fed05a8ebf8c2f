import { curl } from './curl.ts'
import { go } from './go.ts'
import { node } from './node.ts'
import { php } from './php.ts'
import { python } from './python.ts'
import type { Sample } from './sample.ts'

export interface Language {
  id: string
  name: string
  /** The grammar of the syntax highlighting. */
  grammar: string
  write(sample: Sample): string
}

export const LANGUAGES: readonly Language[] = [
  { id: 'curl', name: 'curl', grammar: 'bash', write: curl },
  { id: 'node', name: 'Node', grammar: 'js', write: node },
  { id: 'python', name: 'Python', grammar: 'python', write: python },
  { id: 'php', name: 'PHP', grammar: 'php', write: php },
  { id: 'go', name: 'Go', grammar: 'go', write: go },
]
