import { markLike } from '../context/code-error.ts'
import { ApiError, type FailedItem, failedAt } from '../error/api-error.ts'
import { ValidationPending } from '../operation/validations.ts'
import { DerivedValueError } from '../stored-item/derived-value-error.ts'

/** What is known of an item before its operation. */
export type ItemName = Pick<FailedItem, 'model' | 'id' | 'index'>

/**
 * Runs an operation on each of several items, in a transaction. It goes on after an item that it
 * cannot be done with, so that one error names all of these. The transaction is undone then.
 * @throws ApiError that of the first such item, with all of them
 */
export async function forAllItems<Entry, Result>(
  entries: readonly Entry[],
  nameOf: (entry: Entry, index: number) => ItemName,
  operate: (entry: Entry) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const failedItems: FailedItem[] = []
  let first: ApiError | undefined
  let pending: ValidationPending | undefined
  for (const [index, entry] of entries.entries())
    try {
      results.push(await operate(entry))
    } catch (error) {
      // Asynchronous schemas of all items are waited for together.
      if (error instanceof ValidationPending) pending ??= error
      else if (error instanceof ApiError) {
        first ??= error
        const { problems, omittedCount } = error
        failedItems.push({ ...nameOf(entry, index), problems, omittedCount })
      } else if (error instanceof DerivedValueError) throw error.at(nameOf(entry, index))
      else throw error
    }
  if (pending) throw pending
  if (first) throw markLike(failedAt(first, failedItems), first)
  return results
}
