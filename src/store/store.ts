import type { ModelDescription, UniqueRange } from '../model/model-description.ts'
import type { Condition } from '../query/query-plan.ts'
import type { ChangeLog } from './change-log.ts'
import type { DataFiles } from './data-files.ts'
import type { RequestRecords } from './request-records.ts'
import type { StoreCall, WritePositions } from './store-call.ts'
import type { StoreDescription } from './store-description.ts'
import type { StoreNotes } from './store-notes.ts'
import type { PlanStep } from './store-plan.ts'
import type { RawJsonReader, StoreReader } from './store-reader.ts'
import type { StoreTransaction } from './store-transaction.ts'
import type { PruneOptions, UndeclaredData } from './undeclared-data.ts'

/** Reads that a store can do faster than with the methods that every store has. */
export interface ReadFastPaths {
  readonly rawJson?: RawJsonReader | undefined
  /**
   * The hash of the one item that satisfies the condition, which contains its id. For stores that
   * read a hash faster than a whole item.
   */
  readonly findVersion?:
    | ((
        model: ModelDescription,
        condition: Condition,
        call?: StoreCall,
      ) => Promise<string | undefined>)
    | undefined
}

/** The fast paths of a store; those of a transaction are `TransactionFastPaths`. */
export interface StoreFastPaths extends ReadFastPaths {
  /**
   * The keys of all blobs that items of the model refer to, in batches. For stores that read them
   * faster than whole items, and for those whose items have no hidden text where their model has no
   * hidden fields. Unreferenced blobs are deleted when a router opens.
   */
  blobKeys?(model: ModelDescription): AsyncIterable<readonly string[]>
}

/** Properties of a store that a router reads, also before it opens the store. */
export interface StoreFacts {
  /**
   * Set if reads may come from replicas, which get writes later. The router then tells clients the
   * positions of their writes, and the store those that clients send back (`StoreCall.writes`).
   */
  readonly writePositions?: WritePositions | undefined
  /**
   * May the store refuse to remove an item for a reason that no model knows, such as a foreign key
   * of another table? The document then says that any deletion may be 409. Default: false.
   */
  readonly canRefuseRemovals?: boolean | undefined
  /**
   * Does the store itself refuse items that relate to missing ones? Else `router.load` may store
   * them before what they relate to, which each new item with rollups has to look for. Default:
   * false.
   */
  readonly keepsRelations?: boolean | undefined
  /**
   * Do its tables have rules that the models do not say, because another program made them? Then a
   * valid item may be refused. Default: false.
   */
  readonly hasUnknownRules?: boolean | undefined
  /**
   * May a write end with `OutcomeUnknown`, because the connection to the database is lost while it
   * commits? Default: false.
   */
  readonly hasUnknownOutcomes?: boolean | undefined
  /**
   * Can the store log what other programs write (`changes: { capture: 'triggers' }`)? Default:
   * false.
   */
  readonly canCaptureChanges?: boolean | undefined
  /**
   * Does it keep items in the memory of its process, so that no other process sees them? `serve`
   * refuses it with `workers`. Default: false.
   */
  readonly isProcessLocal?: boolean | undefined
  /**
   * How long a start lets others have the store between two batches, in milliseconds: until another
   * process that waits for a lock looks for it again. Default: 5.
   */
  readonly batchPauseMs?: number | undefined
  /**
   * Does the store itself refuse items of the model whose ranges overlap? Else each write looks for
   * them first. Default: no.
   */
  keepsRange?(model: ModelDescription, range: UniqueRange): boolean
}

/**
 * Plans and cleans up what a store keeps, for commands and for the deletion of blobs, and says what
 * the store is.
 */
export interface StoreAdmin {
  /**
   * What the store is, for the line that a service prints when it listens. Undefined while it is
   * not open.
   */
  describe?(): Promise<StoreDescription | undefined>
  /**
   * What `open` would do with these models, or why it would refuse, without doing it. For stores
   * that have tables; `resourcery plan` prints it.
   */
  plan?(models: readonly ModelDescription[], options?: PlanOptions): Promise<readonly PlanStep[]>
  /**
   * What the store keeps although none of these models declares it; drops it on demand. For stores
   * that keep data; `resourcery prune` calls it.
   *
   * @throws RegistrationError if the store may not drop it
   */
  prune?(
    models: readonly ModelDescription[],
    options: PruneOptions,
  ): Promise<readonly UndeclaredData[]>
  /**
   * The keys of further blobs that the store refers to, in batches: those of models and members
   * that none of these models declares any more. For stores that keep such data; without it, a
   * router deletes its blobs when it opens.
   */
  undeclaredBlobKeys?(models: readonly ModelDescription[]): AsyncIterable<readonly string[]>
}

/** How far a step of a start is that may take long. */
export interface StartProgress {
  /** What is done, such as `Filling in 'slug' of 'talks'`. */
  readonly step: string
  /** The number of items that are done, and of all. */
  readonly done: number
  readonly total: number
}

export interface StoreOpenOptions {
  /** Called after each batch of items. Default: none. */
  readonly onProgress?: ((progress: StartProgress) => void) | undefined
  /** Makes a place for `Store.requestRecords`. Default: false. */
  readonly keepsRequests?: boolean | undefined
  /** Makes a place for `Store.changes`. Default: false. */
  readonly keepsChanges?: boolean | undefined
  /**
   * How long code in a transaction may do nothing, in milliseconds. The router ends it then; a
   * database far away should do so a few seconds later, in case this process hangs. Default: no
   * limit.
   */
  readonly hookTimeoutMs?: number | undefined
}

/** As for `open`. */
export type PlanOptions = Pick<StoreOpenOptions, 'keepsRequests' | 'keepsChanges'>

/**
 * Keeps the items of all models. An implementation passes the suite `storeContract` of
 * `resourcery/contracts`. It has nine methods: six that read, `write`, `open` and `close`. All
 * other members are optional.
 *
 * @throws StoreUnavailable from any method while the store cannot be used; the next call tries
 * again.
 */
export interface Store extends StoreReader {
  /**
   * Runs the function in a transaction, which is committed when the function returns and rolled
   * back when it throws. The promise settles once the writes are durable. Several transactions may
   * share one commit; each is atomic, and sees the writes of those before it. The function must not
   * wait for anything but this store, and may be called again, when another transaction got in its
   * way. It is not called if its caller leaves before it begins.
   */
  write<T>(work: (transaction: StoreTransaction) => Promise<T>, call?: StoreCall): Promise<T>
  /**
   * Creates what the models need (tables, columns, indexes), and drops nothing. Called before the
   * first read, and again when models are added. It migrates items that an older version of a model
   * wrote (`migrateItem`).
   */
  open(models: readonly ModelDescription[], options?: StoreOpenOptions): Promise<void>
  /** Finishes calls that are under way, then closes files and connections. */
  close(): Promise<void>
  /** Default: none; each fact has its own default. */
  readonly facts?: StoreFacts | undefined
  /** Default: none; the methods that every store has read everything. */
  readonly fastPaths?: StoreFastPaths | undefined
  /** Default: none. */
  readonly admin?: StoreAdmin | undefined
  /** Texts that the store keeps with its data; undefined if it has no place for them. */
  readonly notes?: StoreNotes | undefined
  /**
   * Keeps results of requests for `Idempotency-Key`, in the transactions of their writes. For
   * stores that keep data of their own; without it a router refuses the option `idempotency`.
   */
  readonly requestRecords?: RequestRecords | undefined
  /**
   * Keeps the log of changes, in the transactions of their writes. For stores that keep data of
   * their own.
   */
  readonly changes?: ChangeLog | undefined
  /** Where the data is, for stores that keep all of it in a file. */
  readonly files?: DataFiles<Store> | undefined
}
