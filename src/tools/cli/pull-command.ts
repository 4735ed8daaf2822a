import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { countOf } from '../../text/message-text.ts'
import { differingLines } from '../pull/compare-files.ts'
import type { SourceFiles } from '../pull/model-files.ts'
import { type Command, command, UsageError } from './command.ts'
import { expectPositionals } from './parse-arguments.ts'

/** `resourcery pull`: writes the models of a database that exists. */
export const pullCommand: Command = command({
  name: 'pull',
  synopsis: 'pull <database>',
  summary: 'writes models that serve the tables of a database',
  usage: `resourcery pull <database>

Writes TypeScript files with models for tables that exist, a router and a service, and lists what
the models do not say. Expects 'postgres://…', or 'sqlite:<file>'. The database is not changed.
If the folder has one of the files already, prints what would differ, and writes nothing.
Without --tables and --all it lists the tables of the database, and writes nothing.
Exits with 2 if it lists tables, or if it cannot pull.

  --tables <names>   the tables, separated by commas: 'films,shop.orders'
  --all              all tables
  --out <folder>     where the files are written (models)
`,
  options: { tables: { type: 'string' }, all: { type: 'boolean' }, out: { type: 'string' } },
  run: async ({ values, positionals }) => {
    const [database] = expectPositionals(positionals, ['one database'])
    if (values.tables !== undefined && values.all === true)
      throw new UsageError('Expected either --tables or --all, not both.')
    if (values.tables === undefined && values.all !== true) {
      const { tableList } = await import('../pull/table-list.ts')
      throw new Error(await tableList(database))
    }
    const tables = values.tables?.split(',').map((name) => name.trim())
    const { pull } = await import('../pull/pull.ts')
    const { files, modelCount, notes } = await pull(database, tables)
    const folder = values.out ?? 'models'
    console.log(
      writeNewFiles(folder, files) ??
        `Wrote ${countOf(modelCount, 'model')} and a service to '${folder}'.`,
    )
    if (notes.length > 0)
      console.log(
        [
          '',
          'What the models do not say:',
          ...notes.map(({ model, text }) => `- ${model ? `${model}: ` : ''}${text}`),
        ].join('\n'),
      )
    return 0
  },
})

/** Returns what differs, and writes nothing, if one of the files exists. */
export function writeNewFiles(folder: string, files: SourceFiles): string | undefined {
  if (![...files.keys()].some((name) => existsSync(join(folder, name)))) {
    mkdirSync(folder, { recursive: true })
    for (const [name, text] of files) writeFileSync(join(folder, name), text)
    return undefined
  }
  const differences = [...files].flatMap(([name, text]) => {
    const path = join(folder, name)
    if (!existsSync(path)) return [`${path} would be new.`]
    const lines = differingLines(readFileSync(path, 'utf8'), text)
    return lines.length === 0 ? [] : [`${path} would differ:`, ...lines]
  })
  return differences.length === 0
    ? `Nothing differs from the files in '${folder}'.`
    : [...differences, '', 'Nothing was written.'].join('\n')
}
