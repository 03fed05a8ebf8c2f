import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import ts from 'typescript'

const SRC = join(import.meta.dirname, '../src')

export interface Found {
  text: string
  where: string
}

/** Names, samples and symbols that are the same in every language. */
const SAME = new Set([
  'Postern',
  'web.whatsapp.com',
  'Ada',
  '{"id":"…"}',
  'Ctrl',
  'Enter',
  'Esc',
  'ms',
  'KB',
  'WhatsApp',
  'Python',
  'Node',
  'Go',
  'PHP',
  'curl',
])

/** Attributes and properties whose value people read. */
const READ_ATTRIBUTES = /^(label|title|hint|placeholder|aria-label|alt|lead|action|header|note|error|subject)$/
const READ_FIELDS = /^(label|title|hint|header|what|cure|words|lead|note|placeholder)$/
const READ_CALLS = /^toast\.(done|failed)$/
const IN_CODE = /^(code|kbd|pre)$/

/** A word of a language, not a class, path or program name. */
const isWords = (text: string): boolean =>
  /\p{L}{2}/u.test(text) &&
  !/^[a-z0-9_./:#-]+$|^[\w.]+@|^\/|^https?:|^[A-Z0-9_-]+$|^(ptn|msg|dlv|wh)_/.test(text.trim())

function* filesIn(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* filesIn(path)
    else if (/\.tsx?$/.test(entry.name) && !entry.name.endsWith('.d.ts')) yield path
  }
}

/** The texts that the code of the portal takes from the catalogue, and the untranslated words in it. */
export function textsOfTheCode(): { used: Found[]; untranslated: Found[] } {
  const used: Found[] = []
  const untranslated: Found[] = []
  for (const path of filesIn(SRC)) {
    if (relative(SRC, path).startsWith('texts/')) continue
    const kind = path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS
    const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true, kind)
    const note = (list: Found[], node: ts.Node, text: string) => {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart(file))
      list.push({ text, where: `${relative(SRC, path)}:${line + 1}` })
    }
    const visit = (node: ts.Node): void => {
      if (ts.isImportDeclaration(node)) return
      if (ts.isCallExpression(node) && /^(t|rich)$/.test(node.expression.getText(file))) {
        for (const text of literalsOf(node.arguments[0]!)) note(used, node, text)
        for (const argument of node.arguments.slice(1)) visit(argument)
        return
      }
      if (ts.isJsxText(node) ? isShown(node) && /\p{L}{2}/u.test(node.text) : isReadLiteral(node, file)) {
        const text = ts.isJsxText(node) ? node.text.trim() : wordsIn(node)
        if (!SAME.has(text.trim())) note(untranslated, node, text)
      }
      ts.forEachChild(node, visit)
    }
    visit(file)
  }
  return { used, untranslated }
}

const literalsOf = (node: ts.Expression): string[] => {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return [node.text]
  return ts.isConditionalExpression(node) ? [...literalsOf(node.whenTrue), ...literalsOf(node.whenFalse)] : []
}

function isShown(node: ts.Node): boolean {
  const element = node.parent
  return !(ts.isJsxElement(element) && IN_CODE.test(element.openingElement.tagName.getText()))
}

const wordsIn = (node: ts.Node): string =>
  ts.isTemplateExpression(node)
    ? [node.head.text, ...node.templateSpans.map(span => span.literal.text)].join(' ')
    : (node as ts.StringLiteral).text

/** Whether the page shows a literal. */
function isReadLiteral(node: ts.Node, file: ts.SourceFile): boolean {
  if (!ts.isStringLiteral(node) && !ts.isNoSubstitutionTemplateLiteral(node) && !ts.isTemplateExpression(node))
    return false
  const text = wordsIn(node)
  let at: ts.Node = node
  while (
    ts.isConditionalExpression(at.parent)
      ? at.parent.condition !== at
      : ts.isParenthesizedExpression(at.parent) ||
        (ts.isBinaryExpression(at.parent) && /^(\?\?|\|\||&&|\+)$/.test(at.parent.operatorToken.getText(file)))
  )
    at = at.parent
  const holder = at.parent
  if (ts.isJsxExpression(holder) && !ts.isJsxAttribute(holder.parent)) return isShown(holder) && /\p{L}{2}/u.test(text)
  const attribute = ts.isJsxExpression(holder) ? holder.parent : holder
  if (ts.isJsxAttribute(attribute)) return READ_ATTRIBUTES.test(attribute.name.getText(file)) && isWords(text)
  if (ts.isPropertyAssignment(holder)) return READ_FIELDS.test(holder.name.getText(file)) && isWords(text)
  if (ts.isCallExpression(holder)) return READ_CALLS.test(holder.expression.getText(file)) && isWords(text)
  // Elsewhere, a sentence or words that begin like one.
  const isSaid = /^\s*\p{Lu}\p{Ll}+ \p{Ll}|^\p{Lu}\p{Ll}+[.!?…]$|(^|, )(\p{Ll}+ ){2,}\p{Ll}+$/u.test(text)
  return isSaid && !ts.isLiteralTypeNode(holder)
}
