import { callerIdOf } from '../../context/caller-or-address.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import type { UnitOfWork } from '../../operation/unit-of-work/unit-of-work.ts'
import type { StoreTransaction } from '../../store/store-transaction.ts'
import { addTrashed } from '../../store/trash/trash-table.ts'
import type { ItemChange, WriteObserver } from '../../store/write-observer.ts'

/** The deleted items of which models are kept. */
export interface RecordedTrash {
  readonly models: ReadonlySet<ModelDescription>
  /** In milliseconds since 1970. */
  nowMs(): number
}

/** Puts deleted items into the trash, also those that go because another one was deleted. */
export class TrashRecorder implements WriteObserver<UnitOfWork> {
  readonly watched: ReadonlySet<ModelDescription>
  readonly #recorded: RecordedTrash

  constructor(recorded: RecordedTrash) {
    this.watched = recorded.models
    this.#recorded = recorded
  }

  isFollowed({ kind, model }: ItemChange): boolean {
    return kind === 'delete' && this.watched.has(model)
  }

  async written(
    transaction: StoreTransaction,
    { kind, model, before }: ItemChange,
    unit: UnitOfWork,
  ): Promise<void> {
    if (kind !== 'delete' || !before || !this.watched.has(model)) return
    await addTrashed(transaction, model, {
      deletedMs: this.#recorded.nowMs(),
      caller: callerIdOf(unit.source?.cause.context?.caller),
      item: before,
    })
  }
}
