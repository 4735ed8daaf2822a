import { itemReader } from '../reader/item-reader.ts'
import type { ReadFastPaths } from '../store.ts'
import type { RawJsonReader, StoreReader } from '../store-reader.ts'
import type { TransactionFastPaths } from '../store-transaction.ts'
import type { DocumentReadContext } from './document-read-context.ts'
import { documentRunner } from './document-runner.ts'
import { rawJsonReader } from './raw-json-reader.ts'
import { queryFirstRow } from './run-statement.ts'
import { toStoreError } from './sqlite-error.ts'

/** Reads documents over one connection. */
export function documentReader(context: DocumentReadContext): {
  readonly items: StoreReader
  readonly findVersion: NonNullable<ReadFastPaths['findVersion']>
  readonly rawJson: RawJsonReader
} {
  const { connection, queries } = context
  const runner = documentRunner(context)
  return {
    items: itemReader({ queries, runner }),
    // Reads only the hash of an item, not its text.
    async findVersion(model, condition) {
      try {
        const row = queryFirstRow(connection, queries.version(model, condition))
        return (row?.[0] ?? undefined) as string | undefined
      } catch (error) {
        throw toStoreError(error)
      }
    },
    rawJson: rawJsonReader(context, runner),
  }
}

/** What a transaction reads. */
export type TransactionReader = StoreReader & Required<Pick<TransactionFastPaths, 'countEach'>>

/** Reads within a transaction, whose connection alone sees its changes. */
export function transactionReader(
  context: Omit<DocumentReadContext, 'offload'>,
): TransactionReader {
  const { connection, queries } = context
  return {
    ...documentReader(context).items,
    async countEach(counts) {
      try {
        return queryFirstRow(connection, queries.countEach(counts)) as number[]
      } catch (error) {
        throw toStoreError(error)
      }
    },
  }
}
