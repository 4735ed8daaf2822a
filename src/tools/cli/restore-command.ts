import { countOf, formatNumber } from '../../text/message-text.ts'
import { type Command, command, UsageError } from './command.ts'
import { expectPositionals } from './parse-arguments.ts'
import { printFaults } from './print-faults.ts'
import { type ServiceData, serviceDataOf } from './service-data.ts'

/** `resourcery restore`: puts a backup back, or tests it. */
export const restoreCommand: Command = command({
  name: 'restore',
  synopsis: 'restore <store> <folder>',
  summary: 'puts a backup of SQLite back, or tests it',
  usage: `resourcery restore <store> <folder>

Puts a backup back that 'resourcery backup' made, where the store has its data. Expects the module
that exports the router, or 'sqlite:<file>', and a service that does not run. Where changes are
logged, no position in the log holds any more: who follows the changes reads again.
Exits with 1 if --verify finds something wrong, and with 2 if it cannot restore.

  --verify          restores into a temporary folder instead, opens it with the models, and reads
                    all items and the bytes of their files
  --overwrite       replaces what is there, which is kept under another name
  --without-blobs   restores and checks the items only, such as those whose blobs are in S3
`,
  options: {
    verify: { type: 'boolean' },
    overwrite: { type: 'boolean' },
    'without-blobs': { type: 'boolean' },
  },
  run: async ({ values, positionals }) => {
    const [name, folder] = expectPositionals(positionals, ['a store', 'the folder of a backup'])
    const data = await serviceDataOf(name, values['without-blobs'])
    if (values.verify) return verify(folder, data)
    const { restore } = await import('../backup/restore.ts')
    const { madeAt, replaced } = await restore(folder, data.source, {
      overwrite: values.overwrite ?? false,
    })
    console.log(`Restored the state of ${madeAt}.`)
    for (const path of replaced) console.log(`What was there is now '${path}'.`)
    return 0
  },
})

async function verify(folder: string, { source, opening }: ServiceData): Promise<0 | 1> {
  if (!opening)
    throw new UsageError(
      'The models are missing; expected a module that exports a router with --verify.',
    )
  const { testRestore } = await import('../backup/test-restore.ts')
  const report = await testRestore(folder, source, opening)
  const { madeAt, itemCounts, resourceCount, readByteCount, faults, faultCount } = report
  console.log(`The state of ${madeAt}:`)
  for (const [model, count] of Object.entries(itemCounts))
    console.log(`${model}: ${formatNumber(count)}`)
  console.log(
    readByteCount === undefined
      ? `Did not check the bytes of ${countOf(resourceCount, 'file')}: blobs are left out.`
      : `Read ${countOf(resourceCount, 'file')} with ${countOf(readByteCount, 'byte')}.`,
  )
  printFaults(faults, faultCount)
  if (faultCount === 0) console.log('The backup is complete.')
  return faultCount === 0 ? 0 : 1
}
