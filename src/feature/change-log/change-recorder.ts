import { callerIdOf } from '../../context/caller-or-address.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import type { UnitOfWork } from '../../operation/unit-of-work/unit-of-work.ts'
import type { LoggedChange } from '../../store/change-log.ts'
import type { StoreTransaction } from '../../store/store-transaction.ts'
import type { ItemChange, WriteObserver } from '../../store/write-observer.ts'
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

  constructor(recorded: RecordedModels) {
    this.watched = recorded.models
    this.#recorded = recorded
  }

  written(_: StoreTransaction, change: ItemChange, unit: UnitOfWork): void {
    const { kind, model, id, before = null, after = null } = change
    if (!this.watched.has(model)) return
    const caller = callerIdOf(unit.source?.cause.context?.caller)
    const timeMs = this.#recorded.nowMs()
    this.#changes.push({ kind, model: model.name, id, timeMs, caller, before, after })
  }

  computed(transaction: StoreTransaction, change: ItemChange, unit: UnitOfWork): void {
    this.written(transaction, change, unit)
  }

  /** The change itself is added after it. */
  isFollowed({ model }: ItemChange): boolean {
    return this.#changes.length > 0 || this.watched.has(model)
  }

  beforeCommit({ changes }: StoreTransaction): Promise<void> | undefined {
    if (this.#changes.length === 0) return undefined
    return changes!.add(deletionsLast(this.#changes), 'commit')
  }
}
