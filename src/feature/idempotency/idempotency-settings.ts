import type { Context } from '../../context/context.ts'
import type { HookName } from '../../rule/operations.ts'
import type { RequestRecordKeeper } from '../../store/request-record-keeper.ts'
import type { RequestRecords } from '../../store/request-records.ts'

/** The operations that may require an `Idempotency-Key`, by the names of their hooks. */
export type RepeatableOperation =
  | Exclude<
      HookName,
      | 'read'
      | 'getList'
      | 'getItem'
      | 'getResource'
      | 'relationshipGet'
      | 'getVersions'
      | 'getTrash'
    >
  | 'batch'

/** Operations of one model. */
export interface ModelOperations {
  /** The name of the model. */
  readonly model: string
  readonly operations: readonly Exclude<RepeatableOperation, 'batch'>[]
}

/** How a router treats requests with an `Idempotency-Key`. */
export interface Idempotency {
  readonly records: RequestRecords
  readonly keeper: RequestRecordKeeper
  /** Who sent the request: the same key of another caller is another key. */
  scope(context: Context): string
  /** Can several callers have one scope? */
  readonly isScopeShared: boolean
  /** Operations of all models that are refused without a key. */
  readonly required: ReadonlySet<RepeatableOperation>
  /** Those of single models, by the name of the model. */
  readonly requiredByModel: ReadonlyMap<string, ReadonlySet<RepeatableOperation>>
  /** How long a result is kept. */
  readonly keepMs: number
  /** Longer results are not kept; an item is read again instead. */
  readonly maxResultBytes: number
  /** How long a request waits for another one with the same key. */
  readonly waitMs: number
}
