import { dirname, join, relative, resolve } from 'node:path'
// The compiler of the root has no programmatic API.
import ts from '../../portal/node_modules/typescript/lib/typescript.js'

const ROOT = resolve(import.meta.dirname, '../..')

/** A look-up with an untrusted key that would find inherited properties. */
export interface LookUp {
  /** Relative to the repository. */
  file: string
  line: number
  code: string
}

/**
 * Every access by a key that is not known at compile time: `table[key]` with a string key or one that was cast to
 * another type, and `key in table`. Array items are found by number and do not count.
 */
export function findLookUps(project: string, folder: string): LookUp[] {
  const file = join(ROOT, project)
  const { config } = ts.readConfigFile(file, ts.sys.readFile)
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, dirname(file))
  const own = fileNames.filter(name => relative(ROOT, name).startsWith(`${folder}/`) && !name.endsWith('.test.ts'))
  return findIn(ts.createProgram(own, { ...options, noEmit: true }), own)
}

/** The same for a source text, for the test of the rule itself. */
export function findLookUpsIn(text: string): LookUp[] {
  const options: ts.CompilerOptions = { strict: true, noEmit: true, target: ts.ScriptTarget.ES2022 }
  const host = ts.createCompilerHost(options)
  const sample = join(ROOT, 'sample.ts')
  const getSourceFile = host.getSourceFile.bind(host)
  host.getSourceFile = (name, ...more) =>
    name === sample ? ts.createSourceFile(name, text, ts.ScriptTarget.ES2022, true) : getSourceFile(name, ...more)
  return findIn(ts.createProgram([sample], options, host), [sample])
}

function findIn(program: ts.Program, files: readonly string[]): LookUp[] {
  const checker = program.getTypeChecker()
  return files.flatMap(name => {
    const source = program.getSourceFile(name)!
    const found: LookUp[] = []
    const visit = (node: ts.Node): void => {
      if (isOpenLookUp(checker, node)) {
        const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1
        found.push({ file: relative(ROOT, name), line, code: node.getText().replace(/\s+/g, ' ') })
      }
      ts.forEachChild(node, visit)
    }
    visit(source)
    return found
  })
}

function isOpenLookUp(checker: ts.TypeChecker, node: ts.Node): boolean {
  if (ts.isElementAccessExpression(node)) return isOpenKey(checker, node.argumentExpression)
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.InKeyword)
    return !ts.isPrivateIdentifier(node.left) && !ts.isStringLiteralLike(node.left)
  if (ts.isBindingElement(node) && node.propertyName && ts.isComputedPropertyName(node.propertyName))
    return isOpenKey(checker, node.propertyName.expression)
  return false
}

function isOpenKey(checker: ts.TypeChecker, key: ts.Expression): boolean {
  if (ts.isAsExpression(key)) return true
  const type = checker.getTypeAtLocation(key)
  const known = checker.getBaseConstraintOfType(type) ?? type
  const parts = known.isUnion() ? known.types : [known]
  const CLOSED =
    ts.TypeFlags.NumberLike | ts.TypeFlags.StringLiteral | ts.TypeFlags.ESSymbolLike | ts.TypeFlags.EnumLiteral
  return !parts.every(part => (part.flags & CLOSED) !== 0)
}
