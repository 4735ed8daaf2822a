import { join, relative } from 'node:path'
import {
  type ExportDeclaration,
  type ExportSpecifier,
  type Node,
  SyntaxKind,
} from 'typescript/unstable/ast'
import {
  API,
  type Project,
  SymbolFlags,
  type Symbol as TypeScriptSymbol,
} from 'typescript/unstable/sync'
import { type EntryPoint, entryPointsOf } from '../../scripts/api-report.mjs'
import { root } from './documentation.ts'

/** A name that an entry point of the package exports. */
export interface PublicName {
  readonly name: string
  /** The entry point that is the first to export it, such as `resourcery/store`. */
  readonly specifier: string
  /** Values exist at run time, types do not. */
  readonly kind: 'value' | 'type'
  /** The source file that declares it, from the root of the repository. */
  readonly path: string
  /** Its declarations, with its docstring and those of its members. */
  readonly text: string
}

export function publicNames(): readonly PublicName[] {
  const api = new API()
  try {
    const config = join(root, 'tsconfig.build.json')
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config)
    if (!project) throw new Error(`TypeScript did not open '${config}'.`)
    const names = new Map<number, PublicName>()
    for (const entryPoint of entryPointsOf(join(root, 'package.json')))
      for (const [id, name] of namesOf(project, entryPoint)) if (!names.has(id)) names.set(id, name)
    return [...names.values()]
  } finally {
    api.close()
  }
}

function namesOf(project: Project, { specifier, source }: EntryPoint) {
  const file = project.program.getSourceFile(source)
  const module = file && project.checker.getSymbolAtLocation(file)
  if (!module) throw new Error(`'${source}' of '${specifier}' is not a module.`)
  return project.checker.getExportsOfModule(module).map((exported) => {
    const isAlias = (exported.flags & SymbolFlags.Alias) !== 0
    const target = isAlias ? project.checker.getAliasedSymbol(exported) : exported
    const isValue = (target.flags & SymbolFlags.Value) !== 0 && !isTypeOnly(exported)
    const statements = nodesOf(target).map(statementOf)
    const name: PublicName = {
      name: exported.name,
      specifier,
      kind: isValue ? 'value' : 'type',
      path: relative(root, statements[0]?.getSourceFile().fileName ?? source),
      text: statements.map((statement) => statement.getFullText()).join('\n'),
    }
    return [target.id, name] as const
  })
}

/** Is it exported by `export type { X }` or `export { type X }`? */
function isTypeOnly(exported: TypeScriptSymbol): boolean {
  return nodesOf(exported).some((node) => {
    if (node.kind !== SyntaxKind.ExportSpecifier) return false
    const specifier = node as ExportSpecifier
    const statement = specifier.parent.parent as ExportDeclaration
    return specifier.isTypeOnly || statement.isTypeOnly
  })
}

function nodesOf(symbol: TypeScriptSymbol): readonly Node[] {
  return symbol.declarations.flatMap((handle) => handle.resolve() ?? [])
}

function statementOf(node: Node): Node {
  const { parent } = node
  return parent && parent.kind !== SyntaxKind.SourceFile ? statementOf(parent) : node
}
