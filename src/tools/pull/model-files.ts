import type { PullNote } from './item-tables.ts'
import { modelImports, modelText } from './model-text.ts'
import type { PulledModel } from './pulled-model.ts'
import { commentLines } from './source-text.ts'

/** The files of pulled models, by their names. */
export type SourceFiles = ReadonlyMap<string, string>

export type SourceEngine = 'postgres' | 'sqlite'

/** One file for each model, one with all of them and their router, and one that serves it. */
export function modelFiles(
  engine: SourceEngine,
  models: readonly PulledModel[],
  notes: readonly PullNote[],
): SourceFiles {
  const ofTables = notes.filter(({ model }) => model === undefined).map(({ text }) => text)
  return new Map([
    ...models.map((model): [string, string] => [`${model.file}.ts`, modelFile(model)]),
    ['index.ts', indexFile(engine, models, ofTables)],
    ['service.ts', serviceFile],
  ])
}

function modelFile(model: PulledModel): string {
  return lines([
    ...modelImports([model]),
    '',
    ...notesText('What this model does not say:', model.notes),
    ...modelText(model),
  ])
}

function indexFile(
  engine: SourceEngine,
  models: readonly PulledModel[],
  notes: readonly string[],
): string {
  const [variable, example, store] =
    engine === 'postgres'
      ? ['DATABASE_URL', 'postgres://localhost/shop', 'postgres(url, { manage: false })']
      : ['DATABASE_FILE', 'data/shop.db', "sqlite(url, { layout: 'tables', manage: false })"]
  const classes = models.map(({ className }) => className)
  const imports = [
    "import { createRouter } from 'resourcery'",
    `import { ${engine} } from 'resourcery/${engine}'`,
    "import { rest } from 'resourcery/rest'",
    ...models.map(({ className, file }) => `import { ${className} } from './${file}.js'`),
  ]
  return lines([
    ...imports,
    '',
    ...notesText('What is not pulled:', notes),
    `const url = process.env['${variable}']`,
    `if (url === undefined) throw new Error("Set ${variable}, for example to '${example}'.")`,
    '',
    `export const models = [${classes.join(', ')}]`,
    '',
    '/**',
    ' * Changes no table. Without a `versionSecret` each process makes its own when it starts, and all',
    ' * ETags change then.',
    ' */',
    `export const router = createRouter({ policy: rest(), store: ${store} })`,
    'for (const model of models) router.prepare(model)',
  ])
}

const serviceFile = lines([
  "import { closeOnSignals, serve } from 'resourcery/node'",
  "import { router } from './index.js'",
  '',
  'try {',
  "  const server = await serve(router, { port: Number(process.env['PORT'] ?? 3000) })",
  '  closeOnSignals(server)',
  "  console.log('Listening at', server.address)",
  '} catch (error) {',
  '  // Such as why the tables do not fit the models.',
  "  console.error(error instanceof Error && error.message !== '' ? error.message : error)",
  '  await router.close()',
  '  process.exitCode = 1',
  '}',
])

function notesText(title: string, notes: readonly string[]): readonly string[] {
  return notes.length === 0
    ? []
    : [...commentLines(title), ...notes.flatMap((note) => commentLines(`- ${note}`)), '']
}

function lines(text: readonly string[]): string {
  return `${text.join('\n')}\n`
}
