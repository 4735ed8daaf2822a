import { type Command, command } from './command.ts'
import { openStorages, refuseMissingFile } from './open-storage.ts'
import { expectPositionals, requireOption } from './parse-arguments.ts'
import { moveOptions, moveUsage, runMove } from './run-move.ts'

/** `resourcery import`: writes the items of a file into a store. */
export const importCommand: Command = command({
  name: 'import',
  synopsis: 'import <store> --from <file>',
  summary: 'writes the items of an exported file into a store',
  usage: `resourcery import <store> --from <file>

Writes the items of a file that 'resourcery export' made into a store, with their files, and
compares them. Checks the whole file before it writes anything. What the store has already is not
written again, so run it again if it was interrupted.
The store is a module that exports a router. With --models it may also be 'postgres://…' or
'sqlite:<file>'.
Exits with 1 if items differ in the end; with 2 if it cannot import.

  --from <file>      the file to read
${moveUsage}`,
  options: { ...moveOptions, from: { type: 'string' } },
  run: async ({ values, positionals }) => {
    const [name] = expectPositionals(positionals, ['a store'])
    const file = requireOption('from', values.from, 'a file')
    refuseMissingFile(file)
    const { importItems } = await import('../moving/import-items.ts')
    const { storages, models, close } = await openStorages([name], values.models)
    try {
      return await runMove(
        models,
        values,
        (options) => importItems(storages[0]!, file, options),
        'file',
      )
    } finally {
      await close()
    }
  },
})
