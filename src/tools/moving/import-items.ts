import { checkFile } from './check-file.ts'
import { fileSource } from './file-source.ts'
import { moveItems } from './move-items.ts'
import type { MovableStore, MoveOptions, MoveReport } from './move-options.ts'
import { checkMoveOptions, openStore } from './open-store.ts'

/**
 * Writes the items of a file that `exportItems` made into a store. Checks the whole file before it
 * writes anything. Items that the store has already, with the same content, are left alone, so that
 * an import that was interrupted goes on where it was.
 *
 * ```ts
 * const options = { models: [Book] }
 * const report = await importItems({ store: memory() }, 'books.jsonl', options)
 * ```
 *
 * @throws RegistrationError for an unknown or invalid option
 * @throws Error that names the line if the file is not whole or not valid, or the item if the store
 * cannot hold it
 */
export async function importItems(
  to: MovableStore,
  file: string,
  options: MoveOptions,
): Promise<MoveReport> {
  checkMoveOptions('importItems()', options)
  const plans = await openStore(to, options.models)
  const models = plans.map(({ model }) => model)
  const { counts } = await checkFile(file, models)
  return moveItems(fileSource(file, models, counts), to, plans, options)
}
