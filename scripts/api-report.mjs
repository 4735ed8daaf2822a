// Reads the declarations of the package as importers see them: what each entry point exports, and
// which types stand in public signatures although no entry point exports them.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { SyntaxKind } from 'typescript/unstable/ast'
import { API, SymbolFlags } from 'typescript/unstable/sync'

/**
 * @typedef {import('typescript/unstable/ast').Node} Node
 * @typedef {import('typescript/unstable/sync').Symbol} TypeScriptSymbol
 * @typedef {import('typescript/unstable/sync').Project} Project
 * @typedef {{ specifier: string, source: string }} EntryPoint
 * @typedef {{ reports: Map<string, string>, missing: string[] }} ApiReport
 */

/**
 * One report for each entry point, by the name of its file, and the types that are missing: each
 * with the public name that needs it.
 * @param {readonly EntryPoint[]} [entryPoints]
 * @returns {ApiReport}
 */
export function apiReport(entryPoints = entryPointsOf('package.json')) {
  mkdirSync('.data', { recursive: true })
  const folder = mkdtempSync(resolve('.data/api-'))
  try {
    const config = writeDeclarations(folder, entryPoints)
    const api = new API()
    try {
      const project = api.updateSnapshot({ openProjects: [config] }).getProject(config)
      if (!project) throw new Error(`TypeScript did not open '${config}'.`)
      return describeProject(project, folder, entryPoints)
    } finally {
      api.close()
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/**
 * @param {string} manifestPath
 * @returns {EntryPoint[]}
 */
export function entryPointsOf(manifestPath) {
  const { name, exports } = JSON.parse(readFileSync(manifestPath, 'utf8'))
  return Object.entries(exports).flatMap(([subpath, target]) =>
    typeof target === 'string'
      ? []
      : [{ specifier: name + subpath.slice(1), source: resolve(target['resourcery-source']) }],
  )
}

/**
 * Declarations without comments. They are written anew, because the build may be older.
 * @param {string} folder
 * @param {readonly EntryPoint[]} entryPoints
 */
function writeDeclarations(folder, entryPoints) {
  const tsc = resolve('node_modules/.bin/tsc')
  const options = ['--emitDeclarationOnly', '--removeComments', '--outDir', folder]
  execFileSync(tsc, ['-p', 'tsconfig.build.json', ...options], { stdio: 'inherit' })
  const config = join(folder, 'tsconfig.json')
  const files = entryPoints.map(({ source }) => declarationFile(folder, source))
  const compilerOptions = {
    target: 'es2022',
    lib: ['es2023', 'esnext.disposable'],
    types: ['node'],
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    noEmit: true,
  }
  writeFileSync(config, JSON.stringify({ compilerOptions, files }))
  return config
}

/**
 * @param {string} folder
 * @param {string} source
 */
function declarationFile(folder, source) {
  return join(folder, relative(resolve('src'), source)).replace(/\.ts$/, '.d.ts')
}

/**
 * @param {Project} project
 * @param {string} folder
 * @param {readonly EntryPoint[]} entryPoints
 * @returns {ApiReport}
 */
function describeProject(project, folder, entryPoints) {
  /** @type {Map<number, string>} the entry point that is the first to export a symbol */
  const owners = new Map()
  const modules = entryPoints.map(({ specifier, source }) => {
    const file = project.program.getSourceFile(declarationFile(folder, source))
    const symbol = file && project.checker.getSymbolAtLocation(file)
    if (!symbol) throw new Error(`'${specifier}' has no declarations.`)
    const names = project.checker
      .getExportsOfModule(symbol)
      .map((exported) => ({ name: exported.name, target: targetOf(project, exported) }))
      .sort((one, other) => (one.name < other.name ? -1 : 1))
    for (const { target } of names) if (!owners.has(target.id)) owners.set(target.id, specifier)
    return { specifier, names }
  })
  /** @type {Map<string, string>} */
  const reports = new Map()
  /** @type {Set<string>} */
  const missing = new Set()
  for (const { specifier, names } of modules) {
    const own = names.filter(({ target }) => owners.get(target.id) === specifier)
    const shared = names.filter(({ target }) => owners.get(target.id) !== specifier)
    reports.set(
      `${specifier.replaceAll('/', '-')}.md`,
      reportOf(
        specifier,
        own.map(({ target }) => declarationsOf(target).map(textOf).join('\n')),
        shared.map(({ name, target }) => `export { ${name} } from '${owners.get(target.id)}'`),
      ),
    )
    for (const { name, target } of own) {
      for (const used of declarationsOf(target).flatMap((node) => namesIn(project, node))) {
        if (!owners.has(used.id) && isOwnModuleMember(used, folder))
          missing.add(`'${used.name}', which '${name}' of '${specifier}' uses`)
      }
    }
  }
  return { reports, missing: [...missing] }
}

/**
 * @param {string} specifier
 * @param {string[]} own
 * @param {string[]} shared
 */
function reportOf(specifier, own, shared) {
  const blocks = [...(shared.length > 0 ? [shared.join('\n')] : []), ...own]
  return `# ${specifier}\n\nWritten by \`npm run api\`: the public names, without their documentation.\n\n\`\`\`ts\n${blocks.join('\n\n')}\n\`\`\`\n`
}

/**
 * @param {Project} project
 * @param {TypeScriptSymbol} symbol
 */
function targetOf(project, symbol) {
  return symbol.flags & SymbolFlags.Alias ? project.checker.getAliasedSymbol(symbol) : symbol
}

/**
 * The statements that declare a symbol.
 * @param {TypeScriptSymbol} symbol
 */
function declarationsOf(symbol) {
  return symbol.declarations.flatMap((handle) => {
    let node = handle.resolve()
    while (node?.parent && node.parent.kind !== SyntaxKind.SourceFile) node = node.parent
    return node ? [node] : []
  })
}

/** @param {Node} node */
function textOf(node) {
  return node.getText().replace(/^export declare /, 'export ')
}

/**
 * What the types in a declaration name. Type parameters and members are among them.
 * @param {Project} project
 * @param {Node} declaration
 */
function namesIn(project, declaration) {
  /** @type {Node[]} */
  const identifiers = []
  /** @param {Node} node */
  const visit = (node) => {
    if (node.kind === SyntaxKind.Identifier) identifiers.push(node)
    node.forEachChild(visit)
  }
  visit(declaration)
  return project.checker
    .getSymbolAtLocation(identifiers)
    .flatMap((symbol) => (symbol ? [targetOf(project, symbol)] : []))
}

/**
 * Is it declared at the top of a module of this package?
 * @param {TypeScriptSymbol} symbol
 * @param {string} folder
 */
function isOwnModuleMember(symbol, folder) {
  return symbol.declarations.some((handle) => {
    const node = handle.resolve()
    const statement = node?.kind === SyntaxKind.VariableDeclaration ? node.parent?.parent : node
    return (
      statement?.parent?.kind === SyntaxKind.SourceFile &&
      statement.getSourceFile().fileName.startsWith(folder)
    )
  })
}
