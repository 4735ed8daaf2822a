import { type Command, command } from './command.ts'
import { openStorages, refuseMissingDatabase } from './open-storage.ts'
import { expectPositionals, requireOption } from './parse-arguments.ts'
import { moveOptions, moveUsage, runMove } from './run-move.ts'

/** `resourcery export`: writes the items of a store to a file. */
export const exportCommand: Command = command({
  name: 'export',
  synopsis: 'export <store> --to <file>',
  summary: 'writes the items of a store and their files to one file',
  usage: `resourcery export <store> --to <file>

Writes all items of a store to a file, with their files, one JSON object on each line. The file is
called <file>.partial until it is whole, and an export that was interrupted goes on with it.
The store is a module that exports a router. With --models it may also be 'postgres://…' or
'sqlite:<file>'.
Exits with 2 if it cannot export.

  --to <file>        the file to write
${moveUsage}`,
  options: { ...moveOptions, to: { type: 'string' } },
  run: async ({ values, positionals }) => {
    const [name] = expectPositionals(positionals, ['a store'])
    const file = requireOption('to', values.to, 'a file')
    refuseMissingDatabase(name)
    const { exportItems } = await import('../moving/export-items.ts')
    const { storages, models, close } = await openStorages([name], values.models)
    try {
      return await runMove(models, values, (options) => exportItems(storages[0]!, file, options))
    } finally {
      await close()
    }
  },
})
