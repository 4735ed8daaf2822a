import type { ModelDescription } from '../model/model-description.ts'
import { OutdatedProcess } from './store-failures.ts'

// Mistakes in the use of a store, which every store reports in the same words.

/**
 * The error of a call with a model that `open` did not get.
 *
 * ```ts
 * const tables = new Map<string, TableEntry[]>()
 * const tableOf = (model: ModelDescription) => {
 *   const table = tables.get(model.name)
 *   if (!table) throw modelNotOpened(model)
 *   return table
 * }
 * ```
 */
export function modelNotOpened({ name }: ModelDescription): Error {
  return new Error(`The store was not opened with the model '${name}'.`)
}

/**
 * The error of a call on a transaction that was committed or rolled back already.
 *
 * ```ts
 * let hasEnded = false
 * const checkIsOpen = () => {
 *   if (hasEnded) throw transactionEnded()
 * }
 * ```
 */
export function transactionEnded(): Error {
  return new Error('The transaction has ended. Await every call inside the transaction function.')
}

/**
 * The error of `replace` with an id that no item has.
 *
 * ```ts
 * const table = new Map<string, StoredItem>()
 * if (!table.has(item.id)) throw nothingToReplace(book, item.id)
 * ```
 */
export function nothingToReplace({ name }: ModelDescription, id: string): Error {
  return new Error(`Cannot replace '${name}' with the id '${id}': it does not exist.`)
}

/**
 * The error of a statement about a table or column that is not there any more, because a newer
 * version of the program has renamed it. Only processes of that version can go on.
 *
 * ```ts
 * throw tablesChanged(new Error('no such column: pages'))
 * ```
 */
export function tablesChanged(cause: Error): OutdatedProcess {
  return new OutdatedProcess(
    `The tables have changed since this process opened them: ${cause.message}. Start the program again in its newest version.`,
    { cause },
  )
}
