import type { Context } from '../context/context.ts'
import type { WriteCause } from '../context/write-hooks.ts'
import type { StoreAccess } from '../operation/unit-of-work/operation-store.ts'
import type { SentItem } from '../operation/unit-of-work/write-source.ts'
import type { Validations } from '../operation/validations.ts'
import type { CodeCalls } from '../operation/write-hooks/code-calls.ts'
import type { RunningTransaction } from '../operation/write-hooks/code-runner.ts'
import type { RouterServices } from '../pipeline/router-services.ts'
import type { withApprovals } from '../pipeline/with-approvals.ts'
import type { StoreReader } from '../store/store-reader.ts'
import type { ItemEndpoints } from './item-endpoints.ts'

/** As whom code reads and writes. */
export type Actor =
  | { readonly kind: 'service' }
  /** In the name of a request: its hooks run. */
  | { readonly kind: 'caller'; readonly context: Context }

/** Where an operation runs. */
interface OperationScope {
  readonly store: StoreAccess
  readonly validations: Validations
}

/** Where items in code are read and written: in the store, or in a transaction. */
export interface ItemEnvironment {
  readonly actor: Actor
  /** Undefined where each call has a transaction of its own. */
  readonly calls: CodeCalls | undefined
  readonly services: RouterServices
  readonly endpoints: ItemEndpoints
  readonly reader: StoreReader
  /** What hooks around writes get as the cause. */
  readonly cause: WriteCause
  /** Runs an operation that writes; again while it validates asynchronously. */
  run<T>(
    sentItem: SentItem | undefined,
    operation: (scope: OperationScope) => Promise<T>,
  ): Promise<T>
  /** Runs an operation with the approvals of the hooks of other models. */
  readonly withApprovals: typeof withApprovals
  /** Runs several operations, all or nothing. */
  inTransaction<T>(
    work: (environment: TransactionEnvironment, transaction: RunningTransaction) => Promise<T>,
  ): Promise<T>
}

/** Where code takes part in a transaction. */
export interface TransactionEnvironment extends ItemEnvironment {
  readonly calls: CodeCalls
}
