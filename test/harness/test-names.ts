import { readFileSync } from 'node:fs'
import { parseAst } from 'vite'

interface Node_ {
  type: string
  [key: string]: unknown
}

/** The titles of a test file as they are written, `describe > test`; a title of `each` keeps its placeholders. */
export function testNames(path: string): string[] {
  const source = readFileSync(path, 'utf8')
  const names: string[] = []
  visit(parseAst(source, { lang: 'ts' }) as unknown as Node_, [], names)
  return names
}

function visit(node: Node_, parents: readonly string[], names: string[]): void {
  const call = node.type === 'CallExpression' ? titled(node) : undefined
  if (call?.kind === 'test') {
    names.push([...parents, call.title].join(' > '))
    return
  }
  const inside = call?.kind === 'describe' ? [...parents, call.title] : parents
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, inside, names)
  }
}

const isNode = (value: unknown): value is Node_ => typeof (value as Node_ | null)?.type === 'string'

/** `test('title', …)`, `it.each(rows)('title', …)` and the like. */
function titled(call: Node_): { kind: 'test' | 'describe'; title: string } | undefined {
  const name = calleeName(call.callee as Node_)
  const kind = name === 'describe' ? 'describe' : name === 'test' || name === 'it' ? 'test' : undefined
  const title = textOf((call.arguments as Node_[])[0])
  return kind === undefined || title === undefined ? undefined : { kind, title }
}

function calleeName(callee: Node_): string | undefined {
  if (callee.type === 'Identifier') return callee.name as string
  // Of `it.each(rows)(title)` the callee is itself a call.
  if (callee.type === 'CallExpression') {
    const inner = callee.callee as Node_
    return inner.type === 'MemberExpression' ? calleeName(inner.object as Node_) : undefined
  }
  return undefined
}

function textOf(node: Node_ | undefined): string | undefined {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value
  if (node?.type !== 'TemplateLiteral') return undefined
  return (node.quasis as Array<{ value: { cooked: string } }>).map(({ value }) => value.cooked).join('…')
}
