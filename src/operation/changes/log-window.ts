import type { ChangeEntry, LoggedAt, LoggedChange } from '../../store/change-log.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'

type Entry = LoggedChange & LoggedAt

/** Changes that follow each other in the log, by the items that they change. */
export class LogWindow {
  readonly #entries: readonly ChangeEntry[]
  /** The indexes of the changes of each item of each model. */
  readonly #indexes = new Map<string, Map<string, number[]>>()

  constructor(entries: readonly ChangeEntry[]) {
    this.#entries = entries
    for (const [index, entry] of entries.entries()) {
      if (entry.kind === 'erased') continue
      const ofModel = this.#indexes.get(entry.model) ?? new Map<string, number[]>()
      this.#indexes.set(entry.model, ofModel)
      const ofItem = ofModel.get(entry.id)
      if (ofItem) ofItem.push(index)
      else ofModel.set(entry.id, [index])
    }
  }

  /** The first change of the item from this index on. */
  next(model: string, id: string, index: number): Entry | undefined {
    const next = this.#indexes
      .get(model)
      ?.get(id)
      ?.find((each) => each >= index)
    return next === undefined ? undefined : (this.#entries[next] as Entry)
  }

  /** As they were there: the items of the model that change from this index on. */
  itemsBefore(model: string, index: number): readonly StoredItem[] {
    const ids = [...(this.#indexes.get(model)?.keys() ?? [])]
    return ids.flatMap((id) => this.next(model, id, index)?.before ?? [])
  }

  isSameAs(other: LogWindow): boolean {
    const entries = other.#entries
    return (
      entries.length === this.#entries.length &&
      entries.every(({ position }, index) => position === this.#entries[index]!.position)
    )
  }
}
