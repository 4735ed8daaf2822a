import { countOf } from '../../text/message-text.ts'
import { type Command, command } from './command.ts'
import { refuseMissingFile } from './open-storage.ts'
import { expectPositionals } from './parse-arguments.ts'
import { printFaults } from './print-faults.ts'
import { serviceDataOf } from './service-data.ts'

/** How many missing blobs are named. */
const maxNamed = 20

/** `resourcery backup`: copies the data of a service that runs. */
export const backupCommand: Command = command({
  name: 'backup',
  synopsis: 'backup <store> <folder>',
  summary: 'copies a database of SQLite and its blobs, while the service writes',
  usage: `resourcery backup <store> <folder>

Copies a database of SQLite, and the blobs of its items, into a new folder. The service may write
meanwhile: the copy is the state of one moment. The folder has its name once it is complete.
The store is a module that exports a router, or 'sqlite:<file>' for a file by itself, without the
blobs of a folder. Test a backup with 'resourcery restore <module> <folder> --verify'.
Exits with 1 if blobs of items are missing, which it names: all else is in the copy. Exits with 2
if it cannot copy, or if the database is damaged. For PostgreSQL, use pg_dump or pgBackRest.

  --without-blobs   copies no blobs, such as those in S3
`,
  options: { 'without-blobs': { type: 'boolean' } },
  run: async ({ values, positionals }) => {
    const [name, folder] = expectPositionals(positionals, ['a store', 'a new folder'])
    const withoutBlobs = values['without-blobs']
    const { source, opening } = await serviceDataOf(name, withoutBlobs)
    refuseMissingFile(source.items.path)
    const { backUp } = await import('../backup/back-up.ts')
    const { madeAt, items, blobs, missingKeys } = await backUp(source, folder)
    const ofBlobs = blobs
      ? `, and ${countOf(blobs.fileCount, 'file')} of blobs with ${countOf(blobs.byteCount, 'byte')}`
      : ''
    console.log(
      `Copied the state of ${madeAt.toISOString()} to '${folder}': ${countOf(items.byteCount, 'byte')} of items${ofBlobs}.`,
    )
    if (opening === undefined && !items.hasBlobs && !withoutBlobs)
      console.error(
        `'${name}' does not say where blobs are, so none were copied. If items have files, name the module of the service.`,
      )
    const faults = missingKeys
      .slice(0, maxNamed)
      .map((key) => `The blob '${key}', which an item has, is missing.`)
    printFaults(faults, missingKeys.length)
    return missingKeys.length === 0 ? 0 : 1
  },
})
