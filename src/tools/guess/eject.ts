import { existsSync, writeFileSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { pluralOf } from '../../model/naming.ts'
import { sqlite } from '../../store/sqlite/sqlite.ts'
import { modelImports, modelText, type PrintedModel } from '../pull/model-text.ts'
import { quoted } from '../pull/source-text.ts'
import { guessModels } from './guess-models.ts'
import type { GuessedModel } from './guessed-model.ts'
import { guessedRouter, titleOf } from './guessed-router.ts'

export interface Ejected {
  /** The SQLite file with the items. */
  readonly database: string
  readonly notes: readonly string[]
}

/**
 * Writes the models of a JSON file as code, and its items to an SQLite file beside it.
 * @param target the file of the code: `api.ts`
 * @throws Error if one of the files exists, or if the JSON file cannot be served
 */
export async function eject(file: string, target: string): Promise<Ejected> {
  if (!/\.m?[jt]s$/.test(target))
    throw new Error(`Expected the name of a file of code, such as 'api.ts'; got '${target}'.`)
  const database = join(dirname(target), `${titleOf(target)}.db`)
  const existing = [target, database].find((path) => existsSync(path))
  if (existing !== undefined)
    throw new Error(`'${existing}' exists already. Remove it, or choose another name.`)
  const { models, notes } = guessModels(file)
  // First, because it needs a driver, which may be missing.
  const router = await guessedRouter(file, models, sqlite(database))
  await router.close()
  writeFileSync(target, codeOf(models, titleOf(file), basename(target, extname(target))))
  return { database, notes }
}

function codeOf(models: readonly GuessedModel[], title: string, name: string): string {
  const printed = models.map(printedModel)
  const [ofResourcery = '', ...ofOthers] = modelImports(printed, ['createRouter'])
  const lines = [
    "import { fileURLToPath } from 'node:url'",
    ofResourcery,
    "import { rest } from 'resourcery/rest'",
    "import { sqlite } from 'resourcery/sqlite'",
    ...ofOthers,
    '',
    ...printed.flatMap((model) => [...modelText(model), '']),
    'export const router = createRouter({',
    '  policy: rest(),',
    `  store: sqlite(fileURLToPath(new URL(${quoted(`${encodeURIComponent(name)}.db`)}, import.meta.url))),`,
    '  docsPage: true,',
    '  startPage: true,',
    `  info: { title: ${quoted(title)}, version: '1' },`,
    '})',
    ...printed.map(({ className }) => `router.prepare(${className})`),
  ]
  return `${lines.join('\n')}\n`
}

function printedModel({ name, plural, className, members }: GuessedModel): PrintedModel {
  return {
    name,
    className,
    members,
    options: plural === pluralOf(name) ? [] : [['plural', quoted(plural)]],
  }
}
