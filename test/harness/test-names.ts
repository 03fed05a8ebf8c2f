import { readFileSync } from 'node:fs'
import { parseAst } from 'vite'

interface SyntaxNode {
  type: string
  [key: string]: unknown
}

/** The titles of a test file as written, `describe > test`; a title of `each` keeps its placeholders. */
export function testNames(path: string): string[] {
  const source = readFileSync(path, 'utf8')
  const names: string[] = []
  visit(parseAst(source, { lang: 'ts' }) as unknown as SyntaxNode, [], names)
  return names
}

function visit(node: SyntaxNode, parents: readonly string[], names: string[]): void {
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

const isNode = (value: unknown): value is SyntaxNode => typeof (value as SyntaxNode | null)?.type === 'string'

/** Matches `test('title', …)`, `it.each(rows)('title', …)` and similar calls. */
function titled(call: SyntaxNode): { kind: 'test' | 'describe'; title: string } | undefined {
  const name = calleeName(call.callee as SyntaxNode)
  const kind = name === 'describe' ? 'describe' : name === 'test' || name === 'it' ? 'test' : undefined
  const title = textOf((call.arguments as SyntaxNode[])[0])
  return kind === undefined || title === undefined ? undefined : { kind, title }
}

function calleeName(callee: SyntaxNode): string | undefined {
  if (callee.type === 'Identifier') return callee.name as string
  // `it.each(rows)` and `it.concurrent`: the name is before the dots.
  if (callee.type === 'CallExpression') return calleeName(callee.callee as SyntaxNode)
  if (callee.type === 'MemberExpression') return calleeName(callee.object as SyntaxNode)
  return undefined
}

function textOf(node: SyntaxNode | undefined): string | undefined {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value
  if (node?.type !== 'TemplateLiteral') return undefined
  return (node.quasis as Array<{ value: { cooked: string } }>).map(({ value }) => value.cooked).join('…')
}
