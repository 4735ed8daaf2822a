import { callerIdOf } from '../../context/caller-or-address.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import type { UnitOfWork } from '../../operation/unit-of-work/unit-of-work.ts'
import type { LoggedChange } from '../../store/change-log.ts'
import type { LogOnly, StoreTransaction } from '../../store/store-transaction.ts'
import type { ItemChange, WriteObserver } from '../../store/write-observer.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { deletionsLast } from './deletions-last.ts'

/** What is recorded of the changes of one transaction. */
export interface RecordedModels {
  /** The models whose changes are logged. */
  readonly models: ReadonlySet<ModelDescription>
  /** In milliseconds since 1970. */
  nowMs(): number
}

/** Adds the changes of one transaction to the log, before it commits. */
export class ChangeRecorder implements WriteObserver<UnitOfWork> {
  readonly watched: ReadonlySet<ModelDescription>
  readonly #recorded: RecordedModels
  readonly #changes: LoggedChange[] = []
  #isLogged = false

  constructor(recorded: RecordedModels) {
    this.watched = recorded.models
    this.#recorded = recorded
  }

  written(_: StoreTransaction, change: ItemChange, unit: UnitOfWork): void {
    if (this.watched.has(change.model) && !this.#isLogged)
      this.#changes.push(this.#entryOf(change, change.after ?? null, unit))
  }

  computed(transaction: StoreTransaction, change: ItemChange, unit: UnitOfWork): void {
    this.written(transaction, change, unit)
  }

  /** The change itself is added after it. */
  isFollowed({ model }: ItemChange): boolean {
    return this.#changes.length > 0 || this.watched.has(model)
  }

  /** A store may add the only change of a transaction together with its write. */
  logOnly(change: ItemChange, unit: UnitOfWork): LogOnly | undefined {
    if (this.#changes.length > 0) return undefined
    return {
      changeOf: (written) => {
        this.#isLogged = true
        return this.#entryOf(change, written, unit)
      },
    }
  }

  beforeCommit({ changes }: StoreTransaction): Promise<void> | undefined {
    if (this.#changes.length === 0) return undefined
    return changes!.add(deletionsLast(this.#changes), 'commit')
  }

  #entryOf(
    { kind, model, id, before }: ItemChange,
    after: StoredItem | null,
    unit: UnitOfWork,
  ): LoggedChange {
    const caller = callerIdOf(unit.source?.cause.context?.caller)
    const timeMs = this.#recorded.nowMs()
    return {
      kind,
      model: model.name,
      id: after?.id ?? id,
      timeMs,
      caller,
      before: before ?? null,
      after,
    }
  }
}
