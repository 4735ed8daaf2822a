import { type Command, command } from './command.ts'
import { openStorages, refuseMissingDatabase } from './open-storage.ts'
import { expectPositionals } from './parse-arguments.ts'
import { moveOptions, moveUsage, runMove } from './run-move.ts'

/** `resourcery copy`: copies the items of one store into another. */
export const copyCommand: Command = command({
  name: 'copy',
  synopsis: 'copy <from> <to>',
  summary: 'copies items and their files from one store into another',
  usage: `resourcery copy <from> <to>

Copies all items of a store into another, with their files, and compares the copies. What the
other store has already is not copied again, so run it again if it was interrupted.
A store is a module that exports a router, or 'postgres://…', or 'sqlite:<file>'. One of the two
is a module, or --models names one.
Exits with 1 if items differ in the end; with 2 if it cannot copy.

${moveUsage}`,
  options: moveOptions,
  run: async ({ values, positionals }) => {
    const names = expectPositionals(positionals, ['a store to read', 'a store to write'])
    refuseMissingDatabase(names[0])
    const { copyItems } = await import('../moving/copy-items.ts')
    const { storages, models, close } = await openStorages(names, values.models)
    try {
      return await runMove(models, values, (options) =>
        copyItems(storages[0]!, storages[1]!, options),
      )
    } finally {
      await close()
    }
  },
})
